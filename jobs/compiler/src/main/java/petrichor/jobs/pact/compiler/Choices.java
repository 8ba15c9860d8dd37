package petrichor.jobs.pact.compiler;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.pact.PactNode;
import petrichor.jobs.records.Key;

/**
 * Collects and prices the candidates of one contract, which the enumerating classes offer. Belongs
 * to one compilation.
 */
final class Choices {
    private final PactNode node;
    private final int parallelism;
    private final CostModel model;
    private final Estimates estimates;
    private final Uniqueness uniqueness;
    private final Set<Key> interesting;
    private final boolean shared;
    private final List<Candidate> offered = new ArrayList<>();

    Choices(
            PactNode node,
            int parallelism,
            CostModel model,
            Estimates estimates,
            Uniqueness uniqueness,
            Set<Key> interesting,
            boolean shared) {
        this.node = node;
        this.parallelism = parallelism;
        this.model = model;
        this.estimates = estimates;
        this.uniqueness = uniqueness;
        this.interesting = interesting;
        this.shared = shared;
    }

    PactNode node() {
        return node;
    }

    int parallelism() {
        return parallelism;
    }

    CostModel model() {
        return model;
    }

    Estimates estimates() {
        return estimates;
    }

    /** The keys that a later contract could use, in fields of this one's output. */
    Set<Key> interesting() {
        return interesting;
    }

    Size size() {
        return estimates.of(node);
    }

    Size inputSize(int input) {
        return estimates.of(node.inputs().get(input));
    }

    boolean inputIsUnique(int input, Set<Integer> fields) {
        return uniqueness.isUnique(node.inputs().get(input), fields);
    }

    List<Candidate> offered() {
        return offered;
    }

    /** Forward if the numbers of subtasks are equal, evenly distributed otherwise. */
    DataTransfer plain(Candidate from) {
        return from.parallelism() == parallelism
                ? DataTransfer.forward(from)
                : DataTransfer.of(from, new Shipping.Rebalance(), InputOrder.asTheyCome());
    }

    /** Properties of the records that arrive by a way. */
    Properties arriving(DataTransfer way) {
        var before = way.from().properties();
        var single = parallelism == 1;
        var order =
                switch (way.order()) {
                    case InputOrder.Sorted(var key) -> LocalOrder.by(key);
                    case InputOrder.Merged(var key) -> LocalOrder.by(key);
                    case InputOrder.AsTheyCome(), InputOrder.Buffered() ->
                            way.isForward() ? before.order() : LocalOrder.NONE;
                };
        Distribution distribution =
                switch (way.shipping()) {
                    case Shipping.Forward() -> before.distribution();
                    case Shipping.HashPartition(var key) ->
                            new Distribution.Hashed(KeyFields.list(key));
                    case Shipping.RangePartition(var key, var _) ->
                            new Distribution.Ranged(key.parts());
                    case Shipping.Rebalance(),
                            Shipping.Broadcast(),
                            Shipping.FragmentAndReplicate _ ->
                            Distribution.random();
                };
        return new Properties(single ? new Distribution.Single() : distribution, order);
    }

    /** The cost of shipping the inputs by these ways. */
    private Cost arrival(List<DataTransfer> ways, int subtasks) {
        var cost = Cost.NONE;
        for (var way : ways) {
            var size = way.from().size();
            for (var step : way.before()) {
                cost = cost.plus(before(step, size));
                size = after(step, size, way.from());
            }
            cost =
                    cost.plus(
                            model.shipping(
                                    way.shipping(), size, way.from().parallelism(), subtasks));
            double copies = way.shipping() instanceof Shipping.Broadcast ? subtasks : 1;
            cost =
                    cost.plus(
                            model.ordering(
                                    way.order(),
                                    size.withRecords(size.records() * copies),
                                    subtasks));
        }
        return cost;
    }

    private Cost before(Step step, Size size) {
        return switch (step) {
            case Step.Combine _ -> model.hashAggregate(size, size.withRecords(0), 1);
            case Step.CombineGroups(var _, var _, var order, var _) ->
                    // Sorted in memory, buffer by buffer, without spilling.
                    Cost.cpu(
                            model.ordering(new InputOrder.Sorted(order), size, parallelism)
                                    .cpuNanos());
            case Step.Map _, Step.First _ -> Cost.NONE;
        };
    }

    /** The size after a step on the sender's side. */
    Size after(Step step, Size size, Candidate from) {
        return switch (step) {
            case Step.Combine(var _, var aggregation) ->
                    new Size(
                            combined(size, Set.copyOf(aggregation.keys()), from),
                            Estimates.bytesOf(step.output(from.node().type())));
            case Step.CombineGroups(var _, var _, var order, var _) ->
                    size.withRecords(combined(size, KeyFields.set(order), from));
            case Step.First(var _, var records) ->
                    size.withRecords(
                            Math.min(size.records(), (double) records * from.parallelism()));
            case Step.Map _ -> size;
        };
    }

    /** The size after a combiner: in the worst case every sender has every key. */
    private double combined(Size size, Set<Integer> key, Candidate from) {
        return Math.min(size.records(), estimates.distinct(from.node(), key) * from.parallelism());
    }

    /** Offers a candidate. {@code local} is the cost of the operation itself. */
    void offer(
            String strategy,
            Operation operation,
            List<DataTransfer> ways,
            Properties properties,
            Cost local,
            Step... steps) {
        var cost = arrival(ways, parallelism).plus(local);
        var candidate =
                builder(strategy, operation, ways, parallelism, properties, cost, size(), steps)
                        .build(shared);
        if (candidate != null) {
            offered.add(candidate);
        }
    }

    /**
     * Builds a lower part of the contract, which is not offered by itself: it runs in as many
     * subtasks as its input. Null if its inputs are based on different choices.
     */
    @Nullable Candidate part(
            String strategy,
            Operation operation,
            DataTransfer way,
            Properties properties,
            Size size,
            Step... steps) {
        int subtasks = way.from().parallelism();
        var cost = arrival(List.of(way), subtasks);
        return builder(strategy, operation, List.of(way), subtasks, properties, cost, size, steps)
                .build(false);
    }

    private Candidate.Builder builder(
            String strategy,
            Operation operation,
            List<DataTransfer> ways,
            int subtasks,
            Properties properties,
            Cost cost,
            Size size,
            Step... steps) {
        var found =
                subtasks == 1
                        ? new Properties(new Distribution.Single(), properties.order())
                        : properties;
        return new Candidate.Builder(node, strategy, operation, ways, subtasks, size)
                .steps(steps)
                .properties(found)
                .cost(cost, model.nanos(cost) * model.distortion(node.id(), strategy, ways));
    }
}
