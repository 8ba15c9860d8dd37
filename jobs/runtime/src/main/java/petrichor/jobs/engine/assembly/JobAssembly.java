package petrichor.jobs.engine.assembly;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.channels.TaskInput;
import petrichor.jobs.engine.exchange.RangeSample;
import petrichor.jobs.engine.exchange.TaskFigures;
import petrichor.jobs.engine.exchange.TaskMembership;
import petrichor.jobs.engine.memory.Workspace;
import petrichor.jobs.engine.operators.Stage;
import petrichor.jobs.engine.operators.Subtask;
import petrichor.jobs.engine.operators.SubtaskWatch;
import petrichor.jobs.engine.operators.TaskContext;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.ExecutionStage;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.RangeBounds;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.SubtaskFigures;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.records.Key;

/**
 * Puts a job together: the gates in front of every subtask, the chains behind them, and who gets
 * how much memory. A task that only relays or writes what one other task forwards to it becomes a
 * part of that one's chain. Used by the job's own thread; figures may be read by all.
 */
public final class JobAssembly implements AutoCloseable {
    private final JobGraph graph;
    private final Workspace space;
    private final Placement placement;
    private final SubtaskWatch watch;
    private final Fusion fusion;
    private final MemoryPlan memory;
    private final List<ExecutionStage> stages;
    private final JobFigures figures;
    private final Gates gates;
    private final SourceSplits splits;
    private final Map<Integer, RangeSample> samples = new HashMap<>();

    /**
     * A job that runs in this process alone.
     *
     * @param memoryBytes for sorts, tables and buffers of all its tasks
     * @param profiled whether figures are kept
     * @param scalable tasks whose subtasks may come and go
     */
    public JobAssembly(
            JobGraph graph,
            long memoryBytes,
            boolean profiled,
            Workspace space,
            SubtaskWatch watch,
            Set<Integer> scalable) {
        this(graph, memoryBytes, profiled, space, watch, Placement.HERE, null, scalable);
    }

    /** Takes a sample of an edge to where samples are put together. */
    public interface Samples {
        void contribute(int edge, List<byte[]> records);
    }

    /**
     * A part of a job.
     *
     * @param elsewhere where samples are put together
     */
    public JobAssembly(
            JobGraph graph,
            long memoryBytes,
            boolean profiled,
            Workspace space,
            SubtaskWatch watch,
            Placement placement,
            Samples elsewhere) {
        this(graph, memoryBytes, profiled, space, watch, placement, elsewhere, Set.of());
    }

    /**
     * @param elsewhere where samples are put together; null if here
     */
    private JobAssembly(
            JobGraph graph,
            long memoryBytes,
            boolean profiled,
            Workspace space,
            SubtaskWatch watch,
            Placement placement,
            @Nullable Samples elsewhere,
            Set<Integer> scalable) {
        this.graph = graph;
        this.space = space;
        this.watch = watch;
        this.placement = placement;
        this.fusion = new Fusion(graph, scalable);
        this.stages = ExecutionGraph.of(graph).stages();
        this.memory = new MemoryPlan(graph, stages, memoryBytes);
        this.figures = new JobFigures(graph, profiled);
        this.gates = new Gates(graph, fusion, scalable, placement, space, profiled);
        this.splits = new SourceSplits(placement, gates);
        for (int i = 0; i < graph.edges().size(); i++) {
            JobEdge edge = graph.edges().get(i);
            if (edge.shipping() instanceof Shipping.RangePartition(var key, var bounds)
                    && bounds instanceof RangeBounds.Sampled) {
                samples.put(i, sample(edge, i, key, elsewhere));
            }
        }
    }

    private RangeSample sample(JobEdge edge, int number, Key key, @Nullable Samples elsewhere) {
        JobVertex from = graph.vertex(edge.from());
        return elsewhere == null
                ? new RangeSample(
                        key,
                        from.outputType(),
                        from.parallelism(),
                        graph.vertex(edge.to()).parallelism())
                : new RangeSample(
                        key, from.outputType(), records -> elsewhere.contribute(number, records));
    }

    /** Where the ranges of an edge are cut, as was found out elsewhere. */
    public void settle(int edge, List<byte[]> cuts) {
        RangeSample sample = samples.get(edge);
        if (sample != null) {
            sample.settle(cuts);
        }
    }

    public int stages() {
        return stages.size();
    }

    public long spilledBytes() {
        return space.area().written();
    }

    /** Blocks that nobody has given back; sorts and tables leave theirs to the collector. */
    public int blocksLent() {
        return space.pool().lent();
    }

    /** What the subtasks of this process have done by now, but for those that have done nothing. */
    public SortedMap<SubtaskId, SubtaskFigures> measured() {
        return figures.now();
    }

    /** What they do as they go on, by the name of the task. */
    public Map<String, List<TaskFigures>> figures() {
        return figures.byName();
    }

    /** The subtasks of a stage, ready to run. */
    public List<Subtask> subtasks(int stage) {
        List<Subtask> subtasks = new ArrayList<>();
        try {
            for (int id : stages.get(stage).vertices()) {
                JobVertex vertex = graph.vertex(id);
                if (!fusion.isFused(vertex)) {
                    gates.receive(vertex);
                    splits.cut(vertex);
                    TaskMembership roster = gates.roster(id);
                    for (int i = 0; i < vertex.parallelism(); i++) {
                        if (placement.isHere(id, i)) {
                            subtasks.add(
                                    subtask(vertex, i, roster == null ? null : roster.begin()));
                        }
                    }
                }
            }
        } catch (Throwable e) {
            // A source or a sink refuses: what was opened for the others is closed.
            subtasks.forEach(Subtask::abandon);
            throw e;
        }
        return subtasks;
    }

    /** The tasks of a stage whose subtasks may come and go, by the id of the task. */
    public Map<Integer, TaskMembership> rosters(int stage) {
        Map<Integer, TaskMembership> ofStage = new TreeMap<>(gates.rosters());
        ofStage.keySet().retainAll(stages.get(stage).vertices());
        return ofStage;
    }

    /** One more subtask of a task that is on its way; null if the task is at its end. */
    public @Nullable Subtask join(int id) {
        TaskMembership roster = gates.roster(id);
        return roster == null
                ? null
                : roster.join(place -> subtask(graph.vertex(id), place.number(), place));
    }

    /** What the blocks in the hands of one more subtask of a task take, and those on their way. */
    public long bytesOfOneMore(int id) {
        return gates.blocksOfSubtask(graph.vertex(id)) * BlockPool.blockBytes();
    }

    private Subtask subtask(JobVertex vertex, int subtask, TaskMembership.@Nullable Place place) {
        List<? extends TaskInput> inputs =
                place == null
                        ? gates.of(vertex, subtask)
                        : vertex.inputs().stream().map(_ -> place).toList();
        TaskContext task =
                new TaskContext(
                        vertex,
                        subtask,
                        List.copyOf(inputs),
                        memory.shareBytes(vertex),
                        space,
                        figures.of(vertex, subtask),
                        place);
        ChainBuilder chain =
                new ChainBuilder(graph, fusion, memory, gates, samples, placement, space, figures);
        Stage stage = chain.of(vertex, subtask);
        return Subtask.of(
                task, splits.of(vertex, subtask), chain.trials(vertex, subtask), stage, watch);
    }

    /** One subtask, ready to run. */
    public Subtask subtask(SubtaskId id) {
        JobVertex vertex = graph.vertex(id.vertex());
        gates.receive(vertex);
        splits.cut(vertex);
        return subtask(vertex, id.subtask(), null);
    }

    @Override
    public void close() {
        gates.close();
    }
}
