package petrichor.jobs.engine.assembly;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.FileProblem;
import petrichor.jobs.channels.BlockWriter;
import petrichor.jobs.channels.InputGate;
import petrichor.jobs.engine.exchange.RangeCuts;
import petrichor.jobs.engine.exchange.RangeSample;
import petrichor.jobs.engine.exchange.RecordWriter;
import petrichor.jobs.engine.exchange.TaskMetrics;
import petrichor.jobs.engine.memory.MemoryShare;
import petrichor.jobs.engine.memory.Workspace;
import petrichor.jobs.engine.operators.Chain;
import petrichor.jobs.engine.operators.ChainOutput;
import petrichor.jobs.engine.operators.ChainedOperator;
import petrichor.jobs.engine.operators.ChainedRangeSample;
import petrichor.jobs.engine.operators.ChainedSink;
import petrichor.jobs.engine.operators.FanOut;
import petrichor.jobs.engine.operators.Trial;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.RangeBounds;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.records.KeyHash;
import petrichor.jobs.records.RecordType;

/** Builds the chain of stages after one subtask's operation, including those of fused tasks. */
final class ChainBuilder {
    /** Memory of the combiners in a trial: a trial keeps no more than its sample. */
    private static final long TRIAL_MEMORY_BYTES = 0;

    private final JobGraph graph;
    private final Fusion fusion;
    private final MemoryPlan memory;
    private final Gates gates;
    private final Map<Integer, RangeSample> samples;
    private final SubtaskPlacement placement;
    private final Workspace space;
    private final JobMetrics metrics;
    private final Map<Integer, ChainedRangeSample> sampled = new HashMap<>();

    ChainBuilder(
            JobGraph graph,
            Fusion fusion,
            MemoryPlan memory,
            Gates gates,
            Map<Integer, RangeSample> samples,
            SubtaskPlacement placement,
            Workspace space,
            JobMetrics metrics) {
        this.graph = graph;
        this.fusion = fusion;
        this.memory = memory;
        this.gates = gates;
        this.samples = samples;
        this.placement = placement;
        this.space = space;
        this.metrics = metrics;
    }

    /** The whole chain after the operation of this subtask. */
    ChainedOperator of(JobVertex vertex, int subtask) {
        // Memory was divided among the planned subtasks: an added one gets the minimum.
        long share = subtask < vertex.parallelism() ? memory.shareBytes(vertex) : 0;
        return steps(vertex, end(vertex, subtask, metrics.of(vertex, subtask)), share);
    }

    private ChainedOperator steps(JobVertex vertex, ChainedOperator end, long shareBytes) {
        return Chain.of(vertex.chain(), first(vertex), end, shareBytes, space);
    }

    /** Record type of the operation's output. */
    private static RecordType first(JobVertex vertex) {
        List<RecordType> inputs = new ArrayList<>();
        for (int i = 0; i < vertex.inputs().size(); i++) {
            inputs.add(vertex.inputType(i));
        }
        RecordType type = vertex.operation().output(inputs);
        return type == null ? inputs.getFirst() : type;
    }

    private ChainedOperator end(JobVertex vertex, int subtask, TaskMetrics own) {
        if (vertex.operation() instanceof Operation.Write(var sink)) {
            return sink(sink, vertex, subtask, own);
        }
        List<ChainedOperator> ends = new ArrayList<>();
        for (int i = 0; i < graph.edges().size(); i++) {
            if (graph.edges().get(i).from() == vertex.id()) {
                JobVertex to = graph.vertex(graph.edges().get(i).to());
                ends.add(fusion.isFused(to) ? of(to, subtask) : ship(i, vertex, subtask, own));
            }
        }
        return ends.size() == 1 ? ends.getFirst() : new FanOut(ends);
    }

    private static ChainedOperator sink(Sink sink, JobVertex vertex, int subtask, TaskMetrics own) {
        try {
            return new ChainedSink(sink, sink.open(vertex.inputType(0), subtask), own);
        } catch (IOException e) {
            throw FileProblem.of("cannot write " + sink.name(), e);
        }
    }

    private ChainedOperator ship(int number, JobVertex from, int subtask, TaskMetrics own) {
        JobEdge edge = graph.edges().get(number);
        RecordWriter[] receivers = receivers(number, from, subtask, own);
        int count = receivers.length;
        return switch (edge.shipping()) {
            case Shipping.Forward _ -> new ChainOutput(receivers, ChainOutput.to(0));
            case Shipping.Rebalance _ ->
                    new ChainOutput(
                            receivers,
                            count == 1 ? ChainOutput.to(0) : ChainOutput.inTurn(subtask % count));
            case Shipping.HashPartition(var key) ->
                    new ChainOutput(
                            receivers,
                            count == 1
                                    ? ChainOutput.to(0)
                                    : ChainOutput.byHash(KeyHash.of(key, from.outputType())));
            case Shipping.RangePartition range -> range(number, range, from, subtask, receivers);
            case Shipping.Broadcast _ -> new ChainOutput(receivers, ChainOutput.toAll());
            case Shipping.FragmentAndReplicate(var rows, var columns, var side) ->
                    new ChainOutput(
                            receivers,
                            switch (side) {
                                case FIRST ->
                                        ChainOutput.toLines(subtask, rows, columns, columns, 1);
                                case SECOND ->
                                        ChainOutput.toLines(subtask, columns, 1, rows, columns);
                            });
        };
    }

    private ChainedOperator range(
            int number,
            Shipping.RangePartition range,
            JobVertex from,
            int subtask,
            RecordWriter[] receivers) {
        return switch (range.bounds()) {
            case RangeBounds.Given(var cuts) -> {
                RangeCuts known = new RangeCuts(range.key(), from.outputType(), cuts);
                yield new ChainOutput(
                        receivers, (record, to) -> to[known.range(record)].write(record));
            }
            case RangeBounds.Sampled(var records) -> {
                RangeSample sample = samples.get(number);
                if (sample == null) {
                    throw new IllegalStateException("no sample for edge " + number);
                }
                ChainedRangeSample stage =
                        new ChainedRangeSample(
                                sample,
                                records,
                                subtask,
                                receivers,
                                new MemoryShare(MemoryShare.BYTES_MIN),
                                space);
                sampled.put(number, stage);
                yield stage;
            }
        };
    }

    /** Writers to the gates of an edge: to one subtask, or to all of them in order. */
    private RecordWriter[] receivers(int number, JobVertex from, int subtask, TaskMetrics own) {
        JobEdge edge = graph.edges().get(number);
        int all = gates.receivers(edge);
        boolean forward = edge.shipping() instanceof Shipping.Forward;
        // An added subtask has no position in the graph, nor has a subtask with its number at the
        // other end.
        boolean late = subtask >= from.parallelism();
        int sender = gates.firstSender(number) + (forward ? 0 : subtask);
        Sink.RecordSize recordSize = PlacedParts.recordSize(graph, edge);
        RecordWriter[] receivers = new RecordWriter[forward ? 1 : all];
        for (int i = 0; i < receivers.length; i++) {
            int to = forward ? subtask % all : i;
            SubtaskPlacement.ChannelId channel =
                    new SubtaskPlacement.ChannelId(edge.channel(), number, subtask, to);
            SubtaskId there = new SubtaskId(edge.to(), to);
            if (placement.direct(channel)) {
                InputGate gate = gates.at(edge, to);
                int slot = late ? gate.join() : sender;
                receivers[i] = writer(gate.sender(slot), own, there, recordSize);
            } else {
                receivers[i] = writer(placement.writer(channel), own, there, recordSize);
            }
        }
        return receivers;
    }

    private RecordWriter writer(
            BlockWriter channel,
            TaskMetrics own,
            SubtaskId to,
            Sink.@Nullable RecordSize recordSize) {
        return new RecordWriter(channel, space.pool(), own, to, recordSize);
    }

    /**
     * Trial runs for a source whose records are range-partitioned by a sample: they sample the
     * whole source instead of its beginning, and no record has to be buffered until the splitters
     * are known.
     */
    List<Trial> trials(JobVertex vertex, int subtask) {
        List<Trial> trials = new ArrayList<>();
        if (vertex.operation() instanceof Operation.Read(var source)) {
            for (int i = 0; i < graph.edges().size(); i++) {
                ChainedRangeSample stage = sampled.get(i);
                if (stage != null && graph.edges().get(i).from() == vertex.id()) {
                    ChainedOperator chain = steps(vertex, stage.sampler(), TRIAL_MEMORY_BYTES);
                    trials.add(
                            new Trial(
                                    SourceSplits.forTrial(source, vertex, subtask), chain, stage));
                }
            }
        }
        return trials;
    }
}
