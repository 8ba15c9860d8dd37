package petrichor.jobs.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import petrichor.base.FileProblem;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.RangeBounds;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.records.Aggregation;
import petrichor.jobs.records.KeyHash;
import petrichor.jobs.records.RecordType;

/** Builds the stages behind one subtask's operation, those of fused tasks included. */
final class ChainBuilder {
    /** A trial reads the beginnings of so many splits per subtask, evenly over the source. */
    private static final int TRIAL_SPLITS_PER_SUBTASK = 16;

    /** The source is cut into more parts than a trial reads. */
    private static final int TRIAL_PARTS = 4;

    /** What a trial keeps is bounded by its sample; its combiners get this. */
    private static final long TRIAL_MEMORY_BYTES = 0;

    private final JobGraph graph;
    private final Fusion fusion;
    private final MemoryPlan memory;
    private final Map<Integer, List<List<Gate>>> gates;
    private final Map<Integer, RangeSample> samples;
    private final Placement placement;
    private final Tools tools;
    private final Map<Integer, SampledRangeStage> sampled = new HashMap<>();

    /** Gives the tools of a subtask of a vertex. */
    interface Tools {
        TaskTools of(JobVertex vertex, int subtask);
    }

    ChainBuilder(
            JobGraph graph,
            Fusion fusion,
            MemoryPlan memory,
            Map<Integer, List<List<Gate>>> gates,
            Map<Integer, RangeSample> samples,
            Placement placement,
            Tools tools) {
        this.graph = graph;
        this.fusion = fusion;
        this.memory = memory;
        this.gates = gates;
        this.samples = samples;
        this.placement = placement;
        this.tools = tools;
    }

    /** Everything behind the operation of this subtask. */
    Stage of(JobVertex vertex, int subtask) {
        // Memory was divided among those that the plan asks for: one more has the least.
        long share = subtask < vertex.parallelism() ? memory.shareBytes(vertex) : 0;
        return steps(vertex, subtask, end(vertex, subtask), share);
    }

    private Stage steps(JobVertex vertex, int subtask, Stage end, long shareBytes) {
        TaskTools own = tools.of(vertex, subtask);
        List<RecordType> types = new ArrayList<>();
        RecordType type = first(vertex);
        for (Step step : vertex.chain()) {
            types.add(type);
            type = step.output(type);
        }
        Stage next = end;
        for (int i = vertex.chain().size() - 1; i >= 0; i--) {
            next = step(vertex.chain().get(i), types.get(i), next, shareBytes, own);
        }
        return next;
    }

    private static Stage step(
            Step step, RecordType input, Stage next, long shareBytes, TaskTools tools) {
        MemoryShare share = new MemoryShare(shareBytes);
        return switch (step) {
            case Step.Map map -> new MapStage(map, next);
            case Step.First first -> new FirstStage(first.records(), next);
            case Step.Combine combine ->
                    new CombineStage(
                            new HashAggregation(
                                    combine.aggregation(),
                                    Aggregation.Step.PARTIAL,
                                    input,
                                    combine.output(input),
                                    share,
                                    tools),
                            next);
            case Step.CombineGroups groups ->
                    new CombineGroupsStage(groups, input, share, tools.pool(), next);
        };
    }

    /** What the operation emits. */
    private static RecordType first(JobVertex vertex) {
        List<RecordType> inputs = new ArrayList<>();
        for (int i = 0; i < vertex.inputs().size(); i++) {
            inputs.add(vertex.inputType(i));
        }
        RecordType type = vertex.operation().output(inputs);
        return type == null ? inputs.getFirst() : type;
    }

    private Stage end(JobVertex vertex, int subtask) {
        if (vertex.operation() instanceof Operation.Write(var sink)) {
            return sink(sink, vertex, subtask);
        }
        List<Stage> ends = new ArrayList<>();
        for (int i = 0; i < graph.edges().size(); i++) {
            if (graph.edges().get(i).from() == vertex.id()) {
                JobVertex to = graph.vertex(graph.edges().get(i).to());
                ends.add(fusion.isFused(to) ? of(to, subtask) : ship(i, vertex, subtask));
            }
        }
        return ends.size() == 1 ? ends.getFirst() : new FanOut(ends);
    }

    private Stage sink(Sink sink, JobVertex vertex, int subtask) {
        try {
            return new SinkStage(
                    sink,
                    sink.open(vertex.inputType(0), subtask),
                    tools.of(vertex, subtask).figures());
        } catch (IOException e) {
            throw FileProblem.of("cannot write " + sink.name(), e);
        }
    }

    private Stage ship(int number, JobVertex from, int subtask) {
        JobEdge edge = graph.edges().get(number);
        ChannelWriter[] receivers = receivers(number, from, subtask);
        int count = receivers.length;
        return switch (edge.shipping()) {
            case Shipping.Forward _ -> new ShipStage(receivers, ShipStage.to(0));
            case Shipping.Rebalance _ ->
                    new ShipStage(
                            receivers,
                            count == 1 ? ShipStage.to(0) : ShipStage.inTurn(subtask % count));
            case Shipping.HashPartition(var key) ->
                    new ShipStage(
                            receivers,
                            count == 1
                                    ? ShipStage.to(0)
                                    : ShipStage.byHash(KeyHash.of(key, from.outputType())));
            case Shipping.RangePartition range -> range(number, range, from, subtask, receivers);
            case Shipping.Broadcast _ -> new ShipStage(receivers, ShipStage.toAll());
            case Shipping.FragmentAndReplicate(var rows, var columns, var side) ->
                    new ShipStage(
                            receivers,
                            switch (side) {
                                case FIRST -> ShipStage.toLines(subtask, rows, columns, columns, 1);
                                case SECOND ->
                                        ShipStage.toLines(subtask, columns, 1, rows, columns);
                            });
        };
    }

    private Stage range(
            int number,
            Shipping.RangePartition range,
            JobVertex from,
            int subtask,
            ChannelWriter[] receivers) {
        return switch (range.bounds()) {
            case RangeBounds.Given(var cuts) -> {
                RangeCuts known = new RangeCuts(range.key(), from.outputType(), cuts);
                yield new ShipStage(
                        receivers, (record, to) -> to[known.range(record)].write(record));
            }
            case RangeBounds.Sampled(var records) -> {
                RangeSample sample = samples.get(number);
                if (sample == null) {
                    throw new IllegalStateException("no sample for edge " + number);
                }
                SampledRangeStage stage =
                        new SampledRangeStage(
                                sample,
                                records,
                                subtask,
                                receivers,
                                new MemoryShare(MemoryShare.BYTES_MIN),
                                tools.of(from, subtask));
                sampled.put(number, stage);
                yield stage;
            }
        };
    }

    /** Writers to the gates behind an edge: to one subtask, or to all of them in order. */
    private ChannelWriter[] receivers(int number, JobVertex from, int subtask) {
        JobEdge edge = graph.edges().get(number);
        List<List<Gate>> all = gates.getOrDefault(edge.to(), List.of());
        boolean forward = edge.shipping() instanceof Shipping.Forward;
        // One that began while the others ran has no place in the graph, nor has its opposite.
        boolean late = subtask >= from.parallelism();
        int sender = JobAssembly.firstSender(graph, number) + (forward ? 0 : subtask);
        TaskTools own = tools.of(from, subtask);
        ChannelWriter[] receivers = new ChannelWriter[forward ? 1 : all.size()];
        for (int i = 0; i < receivers.length; i++) {
            int to = forward ? subtask % all.size() : i;
            Placement.ChannelId channel =
                    new Placement.ChannelId(edge.channel(), number, subtask, to);
            ChannelMeter meter = own.figures().channel(new SubtaskId(edge.to(), to));
            if (placement.direct(channel)) {
                Gate gate = all.get(to).get(edge.input());
                int slot = late ? gate.join() : sender;
                receivers[i] = new ChannelWriter(gate, slot, own.pool(), own.figures(), meter);
            } else {
                Receiver way = placement.way(channel);
                receivers[i] = new ChannelWriter(way, sender, own.pool(), own.figures(), meter);
            }
        }
        return receivers;
    }

    /**
     * How many blocks a subtask may have filled at a time that nobody has taken, and one in work.
     */
    static long blocksOfSubtask(
            JobGraph graph, Fusion fusion, Map<Integer, List<List<Gate>>> gates, JobVertex vertex) {
        long blocks = 1;
        for (JobEdge edge : graph.outgoing(vertex.id())) {
            JobVertex to = graph.vertex(edge.to());
            boolean forward = edge.shipping() instanceof Shipping.Forward;
            int receivers = forward ? 1 : gates.getOrDefault(edge.to(), List.of()).size();
            blocks +=
                    fusion.isFused(to)
                            ? blocksOfSubtask(graph, fusion, gates, to) - 1
                            : receivers * Gate.BLOCKS_OF_SENDER;
        }
        return blocks;
    }

    /**
     * Trial runs for a source whose records leave by sampled ranges: so the cuts come from the
     * whole source, not from its beginning, and nothing has to be kept until they are known.
     */
    List<Trial> trials(TaskContext task) {
        List<Trial> trials = new ArrayList<>();
        JobVertex vertex = task.vertex();
        if (vertex.operation() instanceof Operation.Read(var source)) {
            for (int i = 0; i < graph.edges().size(); i++) {
                SampledRangeStage stage = sampled.get(i);
                if (stage != null && graph.edges().get(i).from() == vertex.id()) {
                    Stage chain =
                            steps(vertex, task.subtask(), stage.sampler(), TRIAL_MEMORY_BYTES);
                    trials.add(new Trial(some(source, vertex, task.subtask()), chain, stage));
                }
            }
        }
        return trials;
    }

    /** Reads the beginnings of some splits through a chain whose end only samples. */
    record Trial(List<Source.Split> splits, Stage chain, SampledRangeStage stage) {}

    private static List<Source.Split> some(Source source, JobVertex vertex, int subtask) {
        int readers = TRIAL_SPLITS_PER_SUBTASK * vertex.parallelism();
        List<Source.Split> parts = JobAssembly.splits(source, readers * TRIAL_PARTS);
        int step = Math.max(1, parts.size() / readers);
        List<Source.Split> mine = new ArrayList<>();
        for (int i = subtask; i * step < parts.size(); i += vertex.parallelism()) {
            mine.add(parts.get(i * step));
        }
        return mine;
    }
}
