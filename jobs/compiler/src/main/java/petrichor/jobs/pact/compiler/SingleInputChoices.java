package petrichor.jobs.pact.compiler;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.RangeBounds;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.pact.Contract;
import petrichor.jobs.records.Aggregation;
import petrichor.jobs.records.Key;

/** Enumerates the ways to execute contracts on one input. */
final class SingleInputChoices {
    private final Choices choices;

    SingleInputChoices(Choices choices) {
        this.choices = choices;
    }

    void map(Contract.Map map, Candidate input) {
        var way = choices.plain(input);
        var properties = choices.arriving(way).through(choices.node().promises(), 0);
        choices.offer(
                map.filter() ? "filter" : "map",
                new Operation.Relay(),
                List.of(way),
                properties,
                choices.model().merge(input.size().records()),
                new Step.Map(choices.node().name(), map.code(), choices.node().type()));
    }

    void output(Contract.Output output, Candidate input) {
        choices.offer(
                "write",
                new Operation.Write(output.sink()),
                List.of(choices.plain(input)),
                Properties.NONE,
                Cost.NONE);
    }

    /** A total order: range partitioning by the key, with a sort in each subtask. */
    void ordered(Contract.Ordered ordered, Candidate input) {
        var key = ordered.key();
        var ways = new ArrayList<DataTransfer>();
        if (choices.parallelism() == 1) {
            ways.add(sortedUnlessOrdered(choices.plain(input), key));
            if (input.parallelism() > 1 && input.properties().order().sorts(key)) {
                ways.add(
                        DataTransfer.of(
                                input, new Shipping.Rebalance(), new InputOrder.Merged(key)));
            }
        } else {
            ways.add(
                    DataTransfer.of(
                            input,
                            new Shipping.RangePartition(key, RangeBounds.sampled()),
                            new InputOrder.Sorted(key)));
            var forward = choices.plain(input);
            if (forward.isForward() && isRangedBy(input, key)) {
                ways.add(sortedUnlessOrdered(forward, key));
            }
        }
        for (var way : ways) {
            var properties =
                    new Properties(choices.arriving(way).distribution(), LocalOrder.by(key));
            choices.offer("sort", new Operation.Relay(), List.of(way), properties, Cost.NONE);
        }
    }

    private static boolean isRangedBy(Candidate input, Key key) {
        return input.properties().distribution() instanceof Distribution.Ranged(var parts)
                && parts.size() <= key.size()
                && key.parts().subList(0, parts.size()).equals(parts);
    }

    /**
     * The first records: each subtask sends its own first ones, of which one subtask takes the
     * first.
     */
    void first(Contract.First first, Candidate input) {
        var step = new Step.First(choices.node().name(), first.records());
        var key = first.key();
        var forward = DataTransfer.forward(input);
        if (key != null) {
            forward = sortedUnlessOrdered(forward, key);
        }
        var order = key == null ? LocalOrder.NONE : LocalOrder.by(key);
        var properties = new Properties(Distribution.random(), order);
        if (choices.parallelism() == 1 && input.parallelism() == 1) {
            choices.offer(
                    "first", new Operation.Relay(), List.of(forward), properties, Cost.NONE, step);
            return;
        }
        var each =
                choices.part(
                        "first of each subtask",
                        new Operation.Relay(),
                        forward,
                        properties,
                        choices.after(step, input.size(), input),
                        step);
        if (each != null) {
            var gathering = key == null ? InputOrder.asTheyCome() : new InputOrder.Merged(key);
            var way = DataTransfer.of(each, new Shipping.Rebalance(), gathering);
            choices.offer(
                    "first", new Operation.Relay(), List.of(way), properties, Cost.NONE, step);
        }
    }

    void reduce(Contract.Reduce reduce, Candidate input) {
        var key = reduce.key();
        var operation = new Operation.SortedReduce(key, reduce.code(), choices.node().type());
        for (var way : partitionings(input, KeyFields.list(key))) {
            var ordered = reduce.isOrdered() ? inOrder(way, reduce) : grouped(way, key);
            offerReduce(operation, ordered);
            if (reduce.combiner() != null && !way.isForward()) {
                var combiner =
                        new Step.CombineGroups(
                                "combine for " + choices.node().name(),
                                key,
                                reduce.order(),
                                reduce.combiner());
                offerReduce(
                        operation,
                        new DataTransfer(
                                input, way.shipping(), ordered.order(), List.of(combiner)));
            }
        }
    }

    private void offerReduce(Operation operation, DataTransfer way) {
        var properties = choices.arriving(way).through(choices.node().promises(), 0);
        var strategy =
                way.order() instanceof InputOrder.Sorted
                        ? "reduce sorted groups"
                        : "reduce pre-grouped records";
        choices.offer(
                strategy,
                operation,
                List.of(way),
                properties,
                choices.model().merge(way.from().size().records()));
    }

    void aggregate(Contract.Aggregated contract, Candidate input) {
        var aggregation = contract.aggregation();
        var keys = aggregation.keys();
        for (var way : partitionings(input, keys)) {
            aggregateWhole(aggregation, way);
            if (!way.isForward()) {
                aggregateInTwo(aggregation, way);
            }
        }
    }

    private void aggregateWhole(Aggregation aggregation, DataTransfer way) {
        var records = way.from().node().type();
        var hashed = new Operation.HashAggregate(aggregation, Aggregation.Step.WHOLE, records);
        var sorted = new Operation.SortedAggregate(aggregation, Aggregation.Step.WHOLE, records);
        var promises = choices.node().promises();
        var input = way.from().size();
        var arriving = choices.arriving(way);
        choices.offer(
                "hash aggregate",
                hashed,
                List.of(way),
                arriving.through(promises, 0).withoutOrder(),
                choices.model().hashAggregate(input, choices.size(), choices.parallelism()));
        if (aggregation.keys().isEmpty()) {
            return;
        }
        var ordered = grouped(way, KeyFields.key(aggregation.keys()));
        choices.offer(
                "aggregate sorted groups",
                sorted,
                List.of(ordered),
                choices.arriving(ordered).through(promises, 0),
                choices.model().merge(input.records()));
    }

    /** Two-phase aggregation: partial aggregates before shipping, then their aggregates. */
    private void aggregateInTwo(Aggregation aggregation, DataTransfer way) {
        var input = way.from();
        var combine = new Step.Combine("partial " + choices.node().name(), aggregation);
        // A partial aggregate has its key in the first fields.
        var shipping =
                way.shipping() instanceof Shipping.HashPartition(var key)
                        ? new Shipping.HashPartition(
                                KeyFields.key(
                                        KeyFields.list(key).stream()
                                                .map(field -> aggregation.keys().indexOf(field))
                                                .toList()))
                        : way.shipping();
        var partial = new DataTransfer(input, shipping, InputOrder.asTheyCome(), List.of(combine));
        var arriving = choices.arriving(way).through(choices.node().promises(), 0).withoutOrder();
        choices.offer(
                "hash aggregate partial results",
                new Operation.HashAggregate(
                        aggregation, Aggregation.Step.FINAL, input.node().type()),
                List.of(partial),
                arriving,
                choices.model()
                        .hashAggregate(
                                choices.after(combine, input.size(), input),
                                choices.size(),
                                choices.parallelism()));
    }

    /** Ways that bring equal keys together. The key may be empty: then all records are together. */
    private List<DataTransfer> partitionings(Candidate input, List<Integer> key) {
        var plain = choices.plain(input);
        var fields = Set.copyOf(key);
        boolean alone = choices.inputIsUnique(0, fields);
        boolean gathered = plain.isForward() && input.properties().distribution().gathers(fields);
        if (choices.parallelism() == 1 || alone || gathered) {
            // Nothing is gained by moving records that are partitioned already, or if there is only
            // one subtask.
            return List.of(plain);
        }
        var ways = new ArrayList<DataTransfer>();
        for (var partition : partitions(key)) {
            ways.add(
                    DataTransfer.of(
                            input,
                            new Shipping.HashPartition(KeyFields.key(partition)),
                            InputOrder.asTheyCome()));
        }
        return ways;
    }

    /** Partitionings by the whole key, and by the parts of it that are interesting later. */
    private Set<List<Integer>> partitions(List<Integer> key) {
        var partitions = new LinkedHashSet<List<Integer>>();
        partitions.add(key);
        for (var later : choices.interesting()) {
            var fields = new ArrayList<Integer>();
            for (int emitted : later.fields()) {
                var origin = choices.node().promises().originOf(0, emitted);
                if (origin.isPresent() && key.contains(origin.getAsInt())) {
                    fields.add(origin.getAsInt());
                }
            }
            // All fields of the later key must be part of this one: equal later keys have to meet.
            if (fields.size() == later.size() && fields.size() < key.size()) {
                partitions.add(List.copyOf(fields));
            }
        }
        return partitions;
    }

    /** The same way with the records grouped by key. */
    private DataTransfer grouped(DataTransfer way, Key key) {
        var fields = KeyFields.set(key);
        boolean done =
                choices.inputIsUnique(0, fields)
                        || (way.isForward() && way.from().properties().order().groups(fields));
        return done
                ? way
                : new DataTransfer(
                        way.from(),
                        way.shipping(),
                        new InputOrder.Sorted(sortKey(key)),
                        way.before());
    }

    /** The same way with the records of each group in the required order. */
    private DataTransfer inOrder(DataTransfer way, Contract.Reduce reduce) {
        return choices.inputIsUnique(0, KeyFields.set(reduce.key()))
                ? way
                : sortedUnlessOrdered(way, reduce.order());
    }

    /** The order of a key's fields in a sort, chosen so that a later contract can use it. */
    private Key sortKey(Key key) {
        for (var later : choices.interesting()) {
            var parts = new ArrayList<Key.Part>();
            for (var part : later.parts()) {
                var origin = choices.node().promises().originOf(0, part.field());
                if (origin.isPresent() && KeyFields.set(key).contains(origin.getAsInt())) {
                    parts.add(new Key.Part(origin.getAsInt(), part.order()));
                }
            }
            if (parts.size() == later.size()
                    && parts.size() <= key.size()
                    && LocalOrder.fieldsOf(parts).size() == parts.size()) {
                var rest =
                        key.parts().stream()
                                .filter(p -> parts.stream().noneMatch(q -> q.field() == p.field()))
                                .toList();
                parts.addAll(rest);
                return new Key(parts);
            }
        }
        return key;
    }

    private static DataTransfer sortedUnlessOrdered(DataTransfer way, Key key) {
        boolean done = way.isForward() && way.from().properties().order().sorts(key);
        return done
                ? way
                : new DataTransfer(
                        way.from(), way.shipping(), new InputOrder.Sorted(key), way.before());
    }
}
