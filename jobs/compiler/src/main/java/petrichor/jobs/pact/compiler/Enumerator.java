package petrichor.jobs.pact.compiler;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.pact.Contract;
import petrichor.jobs.pact.PactNode;

/**
 * Finds the cheapest way to execute a plan, by dynamic programming. From the sources to the sinks,
 * every contract gets the candidates that its inputs' candidates allow; among those with the same
 * interesting properties only the cheapest survives. A contract with several consumers must be
 * executed one way for all of them: candidates remember their choices for such contracts, and only
 * those that agree are combined.
 */
final class Enumerator {
    /** Limit of the candidates kept per contract; the cheapest are kept. */
    private static final int CANDIDATES_MAX = 24;

    /**
     * The same for a contract with several consumers, whose candidates multiply those of its
     * consumers.
     */
    private static final int SHARED_CANDIDATES_MAX = 4;

    private static final int COMBINATIONS_MAX = 64;

    private final LogicalPlan plan;
    private final CostModel model;
    private final Uniqueness uniqueness;
    private final Estimates estimates;
    private final InterestingProperties interests;
    private final Map<PactNode, List<Candidate>> found = new LinkedHashMap<>();

    /**
     * Whether shared contracts have a single candidate: these always agree, but the plan may cost
     * more.
     */
    private boolean frozen;

    Enumerator(LogicalPlan plan, CostModel model, Uniqueness uniqueness, Estimates estimates) {
        this.plan = plan;
        this.model = model;
        this.uniqueness = uniqueness;
        this.estimates = estimates;
        this.interests = new InterestingProperties(plan.ordered());
    }

    /** The best candidate of each sink, in order; their choices for shared contracts agree. */
    List<Candidate> best() {
        var best = combine();
        if (best.isEmpty()) {
            // Every combination was pruned: fix one candidate for each shared contract, and start
            // again.
            frozen = true;
            found.clear();
            best = combine();
        }
        if (best.isEmpty()) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    "no execution strategy was found for the plan \"{plan}\"; this is a defect of"
                            + " the compiler",
                    "plan",
                    plan.name());
        }
        return best;
    }

    private record Combination(List<Candidate> sinks, Map<PactNode, Candidate> shared) {
        double nanos() {
            return sinks.stream()
                    .flatMap(sink -> sink.all().stream())
                    .distinct()
                    .mapToDouble(Candidate::ownNanos)
                    .sum();
        }
    }

    private List<Candidate> combine() {
        var combinations = List.of(new Combination(List.of(), Map.of()));
        for (var sink : plan.sinks()) {
            var next = new ArrayList<Combination>();
            for (var before : combinations) {
                for (var candidate : candidates(sink)) {
                    var shared = Candidate.merged(before.shared(), candidate.shared());
                    if (shared != null) {
                        var sinks = new ArrayList<>(before.sinks());
                        sinks.add(candidate);
                        next.add(new Combination(sinks, shared));
                    }
                }
            }
            next.sort(Comparator.comparingDouble(Combination::nanos));
            combinations =
                    next.size() > COMBINATIONS_MAX ? next.subList(0, COMBINATIONS_MAX) : next;
        }
        return combinations.isEmpty() ? List.of() : combinations.getFirst().sinks();
    }

    private List<Candidate> candidates(PactNode node) {
        var known = found.get(node);
        if (known == null) {
            known = pruned(node, enumerate(node));
            found.put(node, known);
        }
        return known;
    }

    private List<Candidate> enumerate(PactNode node) {
        var choices =
                new Choices(
                        node,
                        plan.parallelismOf(node),
                        model,
                        estimates,
                        uniqueness,
                        interests.of(node),
                        plan.isShared(node));
        switch (node.contract()) {
            case Contract.Input(var source) -> read(choices, source);
            case Contract.Kept _ ->
                    throw new IllegalArgumentException(
                            node + " was not replaced by its kept output");
            case Contract.Union _ -> union(choices);
            case Contract.Match match ->
                    forPairs(node, (a, b) -> new PairChoices(choices).match(match, a, b));
            case Contract.CoGroup group ->
                    forPairs(node, (a, b) -> new PairChoices(choices).coGroup(group, a, b));
            case Contract.Cross cross ->
                    forPairs(node, (a, b) -> new CrossChoices(choices).cross(cross, a, b));
            case Contract.Map _,
                    Contract.Reduce _,
                    Contract.Aggregated _,
                    Contract.Ordered _,
                    Contract.First _,
                    Contract.Output _ -> {
                for (var input : candidates(node.inputs().getFirst())) {
                    single(node.contract(), new SingleInputChoices(choices), input);
                }
            }
        }
        return choices.offered();
    }

    private static void single(Contract contract, SingleInputChoices choices, Candidate input) {
        switch (contract) {
            case Contract.Map map -> choices.map(map, input);
            case Contract.Reduce reduce -> choices.reduce(reduce, input);
            case Contract.Aggregated aggregated -> choices.aggregate(aggregated, input);
            case Contract.Ordered ordered -> choices.ordered(ordered, input);
            case Contract.First first -> choices.first(first, input);
            case Contract.Output output -> choices.output(output, input);
            case Contract.Input _,
                    Contract.Kept _,
                    Contract.Union _,
                    Contract.Match _,
                    Contract.CoGroup _,
                    Contract.Cross _ ->
                    throw new IllegalArgumentException(
                            contract + " does not have exactly one input");
        }
    }

    private static void read(Choices choices, Source source) {
        choices.offer("read", new Operation.Read(source), List.of(), Properties.NONE, Cost.NONE);
    }

    private interface PairOffer {
        void offer(Candidate first, Candidate second);
    }

    private void forPairs(PactNode node, PairOffer offer) {
        for (var first : candidates(node.inputs().get(0))) {
            for (var second : candidates(node.inputs().get(1))) {
                if (Candidate.merged(first.shared(), second.shared()) != null) {
                    offer.offer(first, second);
                }
            }
        }
    }

    private void union(Choices choices) {
        List<List<DataTransfer>> combinations = List.of(List.of());
        for (var input : choices.node().inputs()) {
            var next = new ArrayList<List<DataTransfer>>();
            for (var before : combinations) {
                for (var candidate : candidates(input)) {
                    var ways = new ArrayList<>(before);
                    ways.add(choices.plain(candidate));
                    if (agree(ways)) {
                        next.add(ways);
                    }
                }
            }
            combinations =
                    next.size() > COMBINATIONS_MAX ? next.subList(0, COMBINATIONS_MAX) : next;
        }
        for (var ways : combinations) {
            var distributions =
                    ways.stream()
                            .map(way -> choices.arriving(way).distribution())
                            .distinct()
                            .toList();
            var distribution =
                    distributions.size() == 1 ? distributions.getFirst() : Distribution.random();
            choices.offer(
                    "union",
                    new Operation.Relay(),
                    ways,
                    new Properties(distribution, LocalOrder.NONE),
                    Cost.NONE);
        }
    }

    private static boolean agree(List<DataTransfer> ways) {
        Map<PactNode, Candidate> shared = Map.of();
        for (var way : ways) {
            var merged = Candidate.merged(shared, way.from().shared());
            if (merged == null) {
                return false;
            }
            shared = merged;
        }
        return true;
    }

    private record Rival(Properties properties, Map<PactNode, Candidate> shared) {}

    /** Keeps the cheapest of the candidates with the same properties, up to the limit. */
    private List<Candidate> pruned(PactNode node, List<Candidate> all) {
        Map<Rival, Candidate> cheapest = new LinkedHashMap<>();
        for (var candidate : all) {
            var below = new LinkedHashMap<>(candidate.shared());
            // A shared contract's own choice is what is being compared here.
            below.remove(node);
            var rival = new Rival(interests.trimmed(node, candidate.properties()), below);
            cheapest.merge(rival, candidate, (a, b) -> b.totalNanos() < a.totalNanos() ? b : a);
        }
        var left = new ArrayList<>(cheapest.values());
        left.sort(Comparator.comparingDouble(Candidate::totalNanos));
        var worthIt = new ArrayList<Candidate>();
        for (var candidate : left) {
            if (worthIt.stream().noneMatch(cheaper -> isAsGood(node, cheaper, candidate))) {
                worthIt.add(candidate);
            }
        }
        int limit = !plan.isShared(node) ? CANDIDATES_MAX : frozen ? 1 : SHARED_CANDIDATES_MAX;
        return worthIt.size() > limit
                ? List.copyOf(worthIt.subList(0, limit))
                : List.copyOf(worthIt);
    }

    /** Whether a candidate that costs no more has at least the properties of the other one. */
    private boolean isAsGood(PactNode node, Candidate cheaper, Candidate other) {
        var a = interests.trimmed(node, cheaper.properties());
        var b = interests.trimmed(node, other.properties());
        var sharedA = new LinkedHashMap<>(cheaper.shared());
        var sharedB = new LinkedHashMap<>(other.shared());
        sharedA.remove(node);
        sharedB.remove(node);
        boolean distribution =
                b.distribution() instanceof Distribution.Random
                        || b.distribution().equals(a.distribution());
        var order = b.order().parts();
        boolean sorted =
                a.order().parts().size() >= order.size()
                        && a.order().parts().subList(0, order.size()).equals(order);
        return distribution && sorted && sharedA.equals(sharedB);
    }
}
