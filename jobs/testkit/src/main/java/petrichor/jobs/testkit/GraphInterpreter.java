package petrichor.jobs.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Side;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.pact.Contract;
import petrichor.jobs.records.Aggregation;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.KeyHash;
import petrichor.jobs.records.KeyOrder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * A reference interpreter of job graphs, subtask by subtask over lists. It assumes exactly the
 * properties that the graph states: groups are adjacent records, a merge sees only adjacent ones,
 * so that a compiler that relies on a missing property produces wrong results.
 */
public final class GraphInterpreter {
    private final JobGraph graph;

    /** Output of each subtask of each vertex. */
    private final Map<Integer, List<List<RecordView>>> emitted = new HashMap<>();

    private GraphInterpreter(JobGraph graph) {
        this.graph = graph;
    }

    public static void run(JobGraph graph) throws Exception {
        var interpreter = new GraphInterpreter(graph);
        for (var vertex : graph.inOrder()) {
            interpreter.run(vertex);
        }
    }

    private void run(JobVertex vertex) throws Exception {
        var arrived = new ArrayList<List<List<List<RecordView>>>>();
        for (int input = 0; input < vertex.inputs().size(); input++) {
            arrived.add(arriving(vertex, input));
        }
        if (vertex.operation() instanceof Operation.Write(var sink)) {
            sink.begin(vertex.inputType(0), vertex.parallelism());
        }
        var outputs = new ArrayList<List<RecordView>>();
        for (int subtask = 0; subtask < vertex.parallelism(); subtask++) {
            var inputs = new ArrayList<List<RecordView>>();
            for (int input = 0; input < vertex.inputs().size(); input++) {
                inputs.add(
                        ordered(
                                vertex.inputs().get(input).order(),
                                arrived.get(input).get(subtask)));
            }
            var records = operate(vertex, subtask, inputs);
            for (var step : vertex.chain()) {
                records = step(step, records);
            }
            outputs.add(records);
        }
        if (vertex.operation() instanceof Operation.Write(var sink)) {
            sink.commit(vertex.parallelism());
        }
        emitted.put(vertex.id(), outputs);
    }

    /** Records by subtask and channel. */
    private List<List<List<RecordView>>> arriving(JobVertex vertex, int input) {
        var arrived = new ArrayList<List<List<RecordView>>>();
        for (int subtask = 0; subtask < vertex.parallelism(); subtask++) {
            arrived.add(new ArrayList<>());
        }
        for (var edge : graph.incoming(vertex.id(), input)) {
            var senders = emitted.getOrDefault(edge.from(), List.of());
            var bounds = bounds(edge, senders, vertex.parallelism());
            for (int sender = 0; sender < senders.size(); sender++) {
                arrived.forEach(channels -> channels.add(new ArrayList<>()));
                int number = 0;
                for (var record : senders.get(sender)) {
                    for (int target :
                            targets(
                                    edge.shipping(),
                                    record,
                                    sender,
                                    number++,
                                    vertex.parallelism(),
                                    bounds)) {
                        arrived.get(target).getLast().add(record);
                    }
                }
            }
        }
        return arrived;
    }

    private static List<RecordView> bounds(
            JobEdge edge, List<List<RecordView>> senders, int subtasks) {
        if (!(edge.shipping() instanceof Shipping.RangePartition(var key, var _))) {
            return List.of();
        }
        var all = new ArrayList<RecordView>();
        senders.forEach(all::addAll);
        var sorted = PlanInterpreter.sorted(key, all);
        var bounds = new ArrayList<RecordView>();
        for (int cut = 1; cut < subtasks && !sorted.isEmpty(); cut++) {
            bounds.add(sorted.get(sorted.size() * cut / subtasks));
        }
        return bounds;
    }

    private static List<Integer> targets(
            Shipping shipping,
            RecordView record,
            int sender,
            int number,
            int subtasks,
            List<RecordView> bounds) {
        return switch (shipping) {
            case Shipping.Forward() -> List.of(sender);
            case Shipping.Rebalance() -> List.of((sender + number) % subtasks);
            case Shipping.HashPartition(var key) ->
                    List.of(
                            KeyHash.partition(
                                    KeyHash.of(key, record.type()).hash(record), subtasks));
            case Shipping.RangePartition(var key, var _) -> {
                int target = 0;
                while (target < bounds.size()
                        && KeyOrder.of(key, record.type()).compare(record, bounds.get(target))
                                >= 0) {
                    target++;
                }
                yield List.of(target);
            }
            case Shipping.Broadcast() ->
                    java.util.stream.IntStream.range(0, subtasks).boxed().toList();
            case Shipping.FragmentAndReplicate(var rows, var columns, var side) -> {
                var targets = new ArrayList<Integer>();
                int free =
                        side == Side.FIRST ? (sender + number) % rows : (sender + number) % columns;
                for (int i = 0; i < (side == Side.FIRST ? columns : rows); i++) {
                    targets.add(side == Side.FIRST ? free * columns + i : i * columns + free);
                }
                yield targets;
            }
        };
    }

    private static List<RecordView> ordered(InputOrder order, List<List<RecordView>> channels) {
        var all = new ArrayList<RecordView>();
        // In reverse, to expose code that relies on the order of channels.
        channels.reversed().forEach(all::addAll);
        return switch (order) {
            case InputOrder.AsTheyCome(), InputOrder.Buffered() -> all;
            case InputOrder.Sorted(var key) -> PlanInterpreter.sorted(key, all);
            case InputOrder.Merged(var key) -> {
                for (var channel : channels) {
                    if (!PlanInterpreter.sorted(key, channel).equals(channel)) {
                        throw new AssertionError(
                                "a channel that is to be merged is not ordered by " + key);
                    }
                }
                yield PlanInterpreter.sorted(key, all);
            }
        };
    }

    private List<RecordView> operate(JobVertex vertex, int subtask, List<List<RecordView>> inputs)
            throws Exception {
        var into = new ArrayList<RecordView>();
        switch (vertex.operation()) {
            case Operation.Read(var source) -> {
                var splits = source.splits(vertex.parallelism());
                for (int split = subtask; split < splits.size(); split += vertex.parallelism()) {
                    try (var reader = source.open(splits.get(split))) {
                        boolean more = true;
                        while (more) {
                            more = reader.read(Rows.out(source.type(), into::add));
                        }
                    }
                }
            }
            case Operation.Write(var sink) -> {
                try (var writer = sink.open(vertex.inputType(0), subtask)) {
                    for (var record : inputs.getFirst()) {
                        writer.write(record);
                    }
                    writer.finish();
                }
            }
            case Operation.Relay() -> into.addAll(inputs.getFirst());
            case Operation.SortedReduce(var key, var code, var type) -> {
                for (var group : ReferenceAggregates.adjacent(key, inputs.getFirst())) {
                    code.reduce(new ListGroup(group), Rows.out(type, into::add));
                }
            }
            case Operation.HashAggregate(var aggregation, var step, var _) ->
                    into.addAll(
                            ReferenceAggregates.aggregate(
                                    aggregation, step, vertex.inputType(0), inputs.getFirst()));
            case Operation.SortedAggregate(var aggregation, var step, var _) -> {
                var fields =
                        Key.of(aggregation.keys().stream().mapToInt(Integer::intValue).toArray());
                for (var group : ReferenceAggregates.adjacent(fields, inputs.getFirst())) {
                    into.addAll(
                            ReferenceAggregates.aggregate(
                                    aggregation, step, vertex.inputType(0), group));
                }
            }
            case Operation.MergeJoin(var first, var second, var code, var type) -> {
                requireOrder(first, inputs.get(0));
                requireOrder(second, inputs.get(1));
                join(first, second, code, type, inputs, into);
            }
            case Operation.HashJoin(var first, var second, var _, var code, var type) ->
                    join(first, second, code, type, inputs, into);
            case Operation.Cross(var outer, var _, var code, var type) -> {
                for (var a : inputs.get(outer.input())) {
                    for (var b : inputs.get(outer.other().input())) {
                        var out = Rows.out(type, into::add);
                        code.join(outer == Side.FIRST ? a : b, outer == Side.FIRST ? b : a, out);
                    }
                }
            }
            case Operation.CoGroup(var first, var second, var code, var type) -> {
                requireOrder(first, inputs.get(0));
                requireOrder(second, inputs.get(1));
                PlanInterpreter.coGroup(
                        new Contract.CoGroup(first, second, code),
                        inputs.get(0),
                        inputs.get(1),
                        Rows.out(type, into::add));
            }
        }
        return into;
    }

    private static void requireOrder(Key key, List<RecordView> records) {
        if (!PlanInterpreter.sorted(key, records).equals(records)) {
            throw new AssertionError("an input that is to be merged is not ordered by " + key);
        }
    }

    private static void join(
            Key first,
            Key second,
            petrichor.jobs.records.JoinCode code,
            RecordType type,
            List<List<RecordView>> inputs,
            List<RecordView> into)
            throws Exception {
        for (var b : inputs.get(1)) {
            for (var a : inputs.get(0)) {
                if (PlanInterpreter.order(first, a, second, b) == 0) {
                    code.join(a, b, Rows.out(type, into::add));
                }
            }
        }
    }

    /** Combiners process a few records at a time: a key is emitted more than once. */
    private static List<RecordView> step(Step step, List<RecordView> records) throws Exception {
        var into = new ArrayList<RecordView>();
        switch (step) {
            case Step.Map(var _, var code, var type) -> {
                for (var record : records) {
                    code.map(record, Rows.out(type, into::add));
                }
            }
            case Step.Combine(var _, var aggregation) -> {
                for (var some : inPieces(records)) {
                    into.addAll(
                            ReferenceAggregates.aggregate(
                                    aggregation,
                                    Aggregation.Step.PARTIAL,
                                    some.getFirst().type(),
                                    some));
                }
            }
            case Step.CombineGroups(var _, var key, var order, var code) -> {
                for (var some : inPieces(records)) {
                    for (var group :
                            ReferenceAggregates.groups(key, PlanInterpreter.sorted(order, some))) {
                        code.reduce(
                                new ListGroup(group), Rows.out(some.getFirst().type(), into::add));
                    }
                }
            }
            case Step.First(var _, var number) -> records.stream().limit(number).forEach(into::add);
        }
        return into;
    }

    private static List<List<RecordView>> inPieces(List<RecordView> records) {
        int piece = 7;
        var pieces = new ArrayList<List<RecordView>>();
        for (int from = 0; from < records.size(); from += piece) {
            pieces.add(records.subList(from, Math.min(records.size(), from + piece)));
        }
        return pieces;
    }
}
