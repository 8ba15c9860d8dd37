package petrichor.tuples;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.placement.advisor.Choice;
import petrichor.placement.advisor.Choice.Priced;
import petrichor.placement.advisor.CoAccess;
import petrichor.placement.advisor.Estimate;
import petrichor.placement.advisor.EvenRanges;
import petrichor.placement.advisor.Materialisation;
import petrichor.placement.advisor.NodeTime;
import petrichor.tuples.SampledOperation.SampledTuple;

/**
 * Recommends a placement for the sampled operations of a collection. Each option is evaluated by
 * running the code that serves operations on the rows that the sampled tuples would have, divided
 * evenly among nodes. The groups of an affinity placement are found from one part of the operations
 * and evaluated on the other part, as all options are. Thread-safe.
 *
 * @param nodes among which the rows are divided
 * @param time what makes messages, rows and bytes comparable
 */
public record PlacementAdvisor(int nodes, NodeTime time) {
    /** Tuples whose rows are evaluated, in addition to those of sampled operations. */
    private static final int TUPLES_MAX = 20_000;

    /** Pages of 1,000 rows that are read for the sample. */
    private static final int PAGES_MAX = 200;

    /** Operations that are evaluated: without an index, each may read thousands of rows. */
    private static final int EVALUATED_MAX = 500;

    /** Dimensions of tags that are tried in tagged placements. */
    private static final int DIMENSIONS_MAX = 4;

    /** Groups per node, so that ranges can be divided between groups. */
    private static final int GROUPS_PER_NODE = 16;

    private static final int GROUP_BITS_MIN = 8;
    private static final int GROUP_BITS_MAX = 16;

    /** The id of layouts that are only evaluated. */
    private static final int NO_LAYOUT = Integer.MAX_VALUE;

    public PlacementAdvisor {
        if (nodes < 1 || nodes > EvenRanges.NODES_MAX) {
            throw PetrichorException.invalid(
                    "advice is for 1 to {max} nodes, not {nodes}.",
                    "max",
                    EvenRanges.NODES_MAX,
                    "nodes",
                    nodes);
        }
    }

    /** Reads up to 200,000 rows of the collection. */
    public PlacementAdvice advise(TupleStore store, String collection) {
        return new Evaluation(store.workload(collection, TUPLES_MAX, PAGES_MAX)).advice();
    }

    /**
     * Begins to change the placement as advised: assigns groups, if it is an affinity placement.
     * FAILED_PRECONDITION if no change pays off.
     */
    public CollectionInfo apply(TupleStore store, String collection) {
        Evaluation evaluation = new Evaluation(store.workload(collection, TUPLES_MAX, PAGES_MAX));
        PlacementAdvice advice = evaluation.advice();
        PlacementOption best =
                advice.better()
                        .orElseThrow(
                                () ->
                                        PetrichorException.of(
                                                ErrorCode.FAILED_PRECONDITION,
                                                "The placement of {collection} stays: {reason}",
                                                "collection",
                                                collection,
                                                "reason",
                                                advice.text()))
                        .option();
        if (best.placement() instanceof TuplePlacement.Affinity) {
            List<Map.Entry<String, Integer>> groups =
                    List.copyOf(evaluation.groups(evaluation.workload.operations()).entrySet());
            for (int at = 0; at < groups.size(); at += TupleLimits.ASSIGNMENTS_MAX) {
                int end = Math.min(groups.size(), at + TupleLimits.ASSIGNMENTS_MAX);
                store.assign(
                        collection,
                        groups.subList(at, end).stream()
                                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
            }
        }
        return store.changePlacement(collection, best.placement(), Optional.of(best.tagIndex()));
    }

    /** The options for one workload. Confined to one thread. */
    private final class Evaluation {
        private final Workload workload;
        private final Map<String, SampledTuple> tuples = new LinkedHashMap<>();
        private final List<SampledOperation> training = new ArrayList<>();
        private final List<SampledOperation> evaluated = new ArrayList<>();
        private final int groupBits;

        /** Tuples of the collection per tuple that is evaluated; 1 if that is not known. */
        private final double scale;

        Evaluation(Workload workload) {
            this.workload = workload;
            TupleSample sample = workload.tuples();
            for (int k = 0; k < sample.tuples().size(); k++) {
                Tuple tuple = sample.tuples().get(k);
                tuples.put(tuple.key(), new SampledTuple(tuple, sample.valueBytes().get(k)));
            }
            for (SampledOperation operation : workload.operations()) {
                operation.tuples().forEach(one -> tuples.putIfAbsent(one.tuple().key(), one));
                boolean trains =
                        training.size() < evaluated.size() || evaluated.size() == EVALUATED_MAX;
                (trains ? training : evaluated).add(operation);
            }
            scale = Math.max(1, (double) sample.seen() / Math.max(1, tuples.size()));
            int bits = Integer.SIZE - Integer.numberOfLeadingZeros(nodes * GROUPS_PER_NODE - 1);
            groupBits = Math.clamp(bits, GROUP_BITS_MIN, GROUP_BITS_MAX);
        }

        PlacementAdvice advice() {
            TupleLayout layout = workload.layout();
            PlacementOption now = new PlacementOption(layout.placement(), layout.tagIndex());
            Priced<PlacementOption> current =
                    Priced.of(now, estimate(layout, workload.groups()), time);
            List<Priced<PlacementOption>> others = new ArrayList<>();
            Map<String, Integer> groups = Map.of();
            for (PlacementOption option : options()) {
                boolean affinity = option.placement() instanceof TuplePlacement.Affinity;
                if (affinity && groups.isEmpty()) {
                    groups = groups(training);
                }
                if (affinity ? !groups.isEmpty() : !option.equals(now)) {
                    Estimate estimate = estimate(candidate(option), affinity ? groups : Map.of());
                    others.add(Priced.of(option, estimate, time));
                }
            }
            Choice<PlacementOption> choice = Choice.of(current, others);
            return new PlacementAdvice(
                    choice,
                    Materialisation.of(
                            choice.ranked().getFirst().estimate(), reads(), writes(), time),
                    new PlacementAdvice.Sample(
                            workload.seen(),
                            evaluated.size(),
                            tuples.size(),
                            workload.tuples().complete() && scale <= 1,
                            nodes));
        }

        private List<Set<String>> reads() {
            List<Set<String>> reads = new ArrayList<>();
            for (SampledOperation operation : workload.operations()) {
                if (operation instanceof SampledOperation.Get get && get.keys().size() > 1) {
                    reads.add(
                            get.keys().stream().map(this::affinityKey).collect(Collectors.toSet()));
                }
            }
            return reads;
        }

        private List<String> writes() {
            return workload.operations().stream()
                    .filter(SampledOperation.Write.class::isInstance)
                    .flatMap(operation -> operation.tuples().stream())
                    .map(one -> affinityKey(one.tuple().key()))
                    .toList();
        }

        private String affinityKey(String key) {
            return affinity().affinityKey(key);
        }

        private TuplePlacement.Affinity affinity() {
            String separator =
                    switch (workload.layout().placement()) {
                        case TuplePlacement.Affinity affinity -> affinity.separator();
                        case TuplePlacement.Colocated colocated -> colocated.separator();
                        case TuplePlacement.Hashed _,
                                TuplePlacement.Ordered _,
                                TuplePlacement.Tagged _ ->
                                TuplePlacement.SEPARATOR_DEFAULT;
                    };
            return new TuplePlacement.Affinity(separator, 1 << groupBits);
        }

        private List<PlacementOption> options() {
            List<TuplePlacement> placements = new ArrayList<>();
            placements.add(new TuplePlacement.Ordered());
            placements.add(new TuplePlacement.Hashed(TuplePlacement.BUCKETS_DEFAULT));
            placements.add(affinity());
            List<String> dimensions = dimensions();
            for (int a = 0; a < dimensions.size(); a++) {
                for (int b = a + 1; b < dimensions.size(); b++) {
                    List<String> pair = List.of(dimensions.get(a), dimensions.get(b));
                    placements.add(new TuplePlacement.Tagged(pair, TuplePlacement.BITS_DEFAULT));
                    for (int c = b + 1; c < dimensions.size(); c++) {
                        placements.add(
                                new TuplePlacement.Tagged(
                                        Stream.concat(pair.stream(), Stream.of(dimensions.get(c)))
                                                .toList(),
                                        TuplePlacement.BITS_DEFAULT));
                    }
                }
            }
            boolean tags = tuples.values().stream().anyMatch(one -> !one.tuple().tags().isEmpty());
            List<PlacementOption> options = new ArrayList<>();
            for (TuplePlacement placement : placements) {
                options.add(new PlacementOption(placement, tags || workload.layout().tagIndex()));
                if (tags) {
                    options.add(new PlacementOption(placement, false));
                }
            }
            return options;
        }

        /** Those that filters name most often, of which no tuple has several tags. */
        private List<String> dimensions() {
            Map<String, Integer> uses = new TreeMap<>();
            for (SampledOperation operation : workload.operations()) {
                if (operation instanceof SampledOperation.Find find) {
                    Stream.concat(find.filter().all().stream(), find.filter().any().stream())
                            .map(TagCondition::dimension)
                            .filter(name -> !name.isEmpty())
                            .forEach(name -> uses.merge(name, 1, Integer::sum));
                }
            }
            for (SampledTuple one : tuples.values()) {
                Map<String, Long> counts =
                        one.tuple().tags().stream()
                                .collect(
                                        Collectors.groupingBy(
                                                Tag::dimension, Collectors.counting()));
                counts.forEach(
                        (name, count) -> {
                            if (count > 1) {
                                uses.remove(name);
                            }
                        });
            }
            return uses.entrySet().stream()
                    .sorted(
                            Comparator.comparing(
                                    Map.Entry<String, Integer>::getValue,
                                    Comparator.reverseOrder()))
                    .limit(DIMENSIONS_MAX)
                    .map(Map.Entry::getKey)
                    .toList();
        }

        private TupleLayout candidate(PlacementOption option) {
            return new TupleLayout(
                    NO_LAYOUT,
                    workload.layout().collection(),
                    option.placement(),
                    option.tagIndex(),
                    TupleSample.buckets(
                            option.placement(),
                            tuples.values().stream().map(SampledTuple::tuple).toList()),
                    null);
        }

        /** Groups of affinity keys that these operations read together. */
        Map<String, Integer> groups(Collection<SampledOperation> operations) {
            CoAccess together = new CoAccess();
            for (SampledOperation operation : operations) {
                if (operation instanceof SampledOperation.Get get) {
                    together.together(get.keys().stream().map(this::affinityKey).toList());
                }
            }
            if (together.isEmpty()) {
                return Map.of();
            }
            Map<String, Double> weights = new HashMap<>();
            tuples.keySet().forEach(key -> weights.merge(affinityKey(key), 1.0, Double::sum));
            return together.groups(groupBits, weights, nodes);
        }

        private Estimate estimate(TupleLayout layout, Map<String, Integer> groups) {
            CandidateRows rows = CandidateRows.of(layout, tuples.values(), groups, nodes);
            for (SampledOperation operation : evaluated) {
                rows.usage().begin();
                new CandidateRun(layout, rows, scale).run(operation);
                rows.usage().end(operation.kind());
            }
            return rows.usage().estimate();
        }
    }
}
