package petrichor.placement.simulation;

import static java.util.Objects.requireNonNull;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Runs the same operations on the same data under one layout after the other. Immutable. */
public final class Simulation {
    private final SocialData data;
    private final Operations operations;
    private final int nodes;
    private final Timing timing;
    private final long seed;

    /**
     * @param count operations that are simulated
     */
    public Simulation(SocialData data, int nodes, int count, Timing timing, long seed) {
        this.data = data;
        this.operations = Operations.draw(data, count, seed);
        this.nodes = nodes;
        this.timing = timing;
        this.seed = seed;
    }

    public Outcome run(Strategy strategy, Indexing indexing) {
        return requireNonNull(run(strategy).get(indexing));
    }

    /** The outcome for each kind of index. */
    public Map<Indexing, Outcome> run(Strategy strategy) {
        return run(strategy, Layout.of(strategy, data, nodes, seed));
    }

    /** The outcomes of several strategies, which are simulated at the same time. */
    public Map<Strategy, Map<Indexing, Outcome>> run(List<Strategy> strategies) {
        return run(strategies, _ -> {});
    }

    /**
     * As {@link #run(List)}.
     *
     * @param done gets each strategy that has been simulated, from several threads
     */
    public Map<Strategy, Map<Indexing, Outcome>> run(
            List<Strategy> strategies, Consumer<Strategy> done) {
        Map<Strategy, Map<Indexing, Outcome>> outcomes = new EnumMap<>(Strategy.class);
        strategies.parallelStream()
                .map(
                        strategy -> {
                            Map<Indexing, Outcome> outcome = run(strategy);
                            done.accept(strategy);
                            return Map.entry(strategy, outcome);
                        })
                .forEachOrdered(entry -> outcomes.put(entry.getKey(), entry.getValue()));
        return outcomes;
    }

    /**
     * The outcome with groups that METIS found.
     *
     * @param group of each user, from 0 to the number of nodes less 1
     */
    public Map<Indexing, Outcome> ofMetis(int[] group) {
        return run(Strategy.METIS, Layout.ofGroups(group, data, nodes));
    }

    private Map<Indexing, Outcome> run(Strategy strategy, Layout layout) {
        return new LayoutRun(strategy, layout, data, operations, timing, seed).outcomes();
    }
}
