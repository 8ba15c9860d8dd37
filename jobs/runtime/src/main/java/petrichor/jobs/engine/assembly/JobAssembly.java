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
import petrichor.jobs.engine.exchange.TaskMembership;
import petrichor.jobs.engine.exchange.TaskMetrics;
import petrichor.jobs.engine.memory.Workspace;
import petrichor.jobs.engine.operators.ChainedOperator;
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
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.SubtaskMetrics;
import petrichor.jobs.records.Key;

/**
 * Assembles a job: the gates of every subtask, the chains after their operations, and the division
 * of memory. A task that only relays or writes the records that one other task forwards to it
 * becomes part of that task's chain. Belongs to the job's thread; any thread may read the metrics.
 */
public final class JobAssembly implements AutoCloseable {
    private final JobGraph graph;
    private final Workspace space;
    private final SubtaskPlacement placement;
    private final SubtaskWatch watch;
    private final Fusion fusion;
    private final MemoryPlan memory;
    private final List<ExecutionStage> stages;
    private final JobMetrics metrics;
    private final Gates gates;
    private final SourceSplits splits;
    private final Map<Integer, RangeSample> samples = new HashMap<>();

    /**
     * A job that runs in this process alone.
     *
     * @param memoryBytes for sorts, tables and buffers of all its tasks
     * @param profiled whether tasks are measured
     * @param scalable tasks whose parallelism may change
     */
    public JobAssembly(
            JobGraph graph,
            long memoryBytes,
            boolean profiled,
            Workspace space,
            SubtaskWatch watch,
            Set<Integer> scalable) {
        this(graph, memoryBytes, profiled, space, watch, SubtaskPlacement.HERE, null, scalable);
    }

    /** Sends a sender's sample of an edge to the process that collects them. */
    public interface Samples {
        void contribute(int edge, List<byte[]> records);
    }

    /**
     * A part of a distributed job.
     *
     * @param elsewhere where samples are collected
     */
    public JobAssembly(
            JobGraph graph,
            long memoryBytes,
            boolean profiled,
            Workspace space,
            SubtaskWatch watch,
            SubtaskPlacement placement,
            Samples elsewhere) {
        this(graph, memoryBytes, profiled, space, watch, placement, elsewhere, Set.of());
    }

    /**
     * @param elsewhere where samples are collected; null if in this process
     */
    private JobAssembly(
            JobGraph graph,
            long memoryBytes,
            boolean profiled,
            Workspace space,
            SubtaskWatch watch,
            SubtaskPlacement placement,
            @Nullable Samples elsewhere,
            Set<Integer> scalable) {
        this.graph = graph;
        this.space = space;
        this.watch = watch;
        this.placement = placement;
        this.fusion = new Fusion(graph, scalable);
        this.stages = ExecutionGraph.of(graph).stages();
        this.memory = new MemoryPlan(graph, stages, memoryBytes);
        this.metrics = new JobMetrics(graph, profiled);
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

    /** Sets the splitters of a range-partitioned edge, computed elsewhere. */
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

    /**
     * Blocks that were not returned to the pool; sorts and tables leave theirs to the garbage
     * collector.
     */
    public int blocksLent() {
        return space.pool().lent();
    }

    /** Metrics of this process's subtasks now, without those that have done nothing yet. */
    public SortedMap<SubtaskId, SubtaskMetrics> measured() {
        return metrics.now();
    }

    /** Live metrics of subtasks, by task name. */
    public Map<String, List<TaskMetrics>> metrics() {
        return metrics.byName();
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
                    TaskMembership membership = gates.membership(id);
                    for (int i = 0; i < vertex.parallelism(); i++) {
                        if (placement.isHere(id, i)) {
                            subtasks.add(
                                    subtask(
                                            vertex,
                                            i,
                                            membership == null ? null : membership.begin()));
                        }
                    }
                }
            }
        } catch (Throwable e) {
            // A source or a sink has failed: close the resources of the subtasks opened before.
            subtasks.forEach(Subtask::abandon);
            throw e;
        }
        return subtasks;
    }

    /** The scalable tasks of a stage, by task id. */
    public Map<Integer, TaskMembership> memberships(int stage) {
        Map<Integer, TaskMembership> ofStage = new TreeMap<>(gates.memberships());
        ofStage.keySet().retainAll(stages.get(stage).vertices());
        return ofStage;
    }

    /** Adds a subtask to a running task; null if the task is about to end. */
    public @Nullable Subtask join(int id) {
        TaskMembership membership = gates.membership(id);
        return membership == null
                ? null
                : membership.join(
                        participant ->
                                subtask(graph.vertex(id), participant.number(), participant));
    }

    /** Memory for the blocks of one more subtask, in processing and in flight. */
    public long bytesOfOneMore(int id) {
        return gates.blocksOfSubtask(graph.vertex(id)) * BlockPool.blockBytes();
    }

    private Subtask subtask(
            JobVertex vertex, int subtask, TaskMembership.@Nullable Participant participant) {
        List<? extends TaskInput> inputs =
                participant == null
                        ? gates.of(vertex, subtask)
                        : vertex.inputs().stream().map(_ -> participant).toList();
        TaskContext task =
                new TaskContext(
                        vertex,
                        subtask,
                        List.copyOf(inputs),
                        memory.shareBytes(vertex),
                        space,
                        metrics.of(vertex, subtask),
                        participant);
        ChainBuilder chain =
                new ChainBuilder(graph, fusion, memory, gates, samples, placement, space, metrics);
        ChainedOperator stage = chain.of(vertex, subtask);
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
