package petrichor.jobs.engine.hosted;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.channels.JobControl;
import petrichor.jobs.engine.assembly.JobAssembly;
import petrichor.jobs.engine.assembly.MemoryPlan;
import petrichor.jobs.engine.memory.MemoryShare;
import petrichor.jobs.engine.memory.SpillArea;
import petrichor.jobs.engine.memory.Workspace;
import petrichor.jobs.engine.operators.Subtask;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.SubtaskMetrics;

/**
 * One subtask of a job that another runtime hosts: Petrichor's drivers and chains between the
 * runtime's inputs and outputs. Created and run by one thread; each input has a thread of its own;
 * the other methods are safe for all threads.
 */
public final class HostedSubtask {
    private final JobControl control;
    private final JobAssembly assembly;
    private final HostedPlacement placement;
    private final Map<Integer, HostedInput> inputs;
    private final Subtask subtask;

    private HostedSubtask(
            JobControl control, JobAssembly assembly, HostedPlacement placement, Subtask subtask) {
        this.control = control;
        this.assembly = assembly;
        this.placement = placement;
        this.inputs = Map.copyOf(placement.inputs());
        this.subtask = subtask;
    }

    /**
     * Opens the subtask's resources.
     *
     * @param id of one of the {@link StageWork#tasks()}
     * @param memoryBytes for one subtask of each task of the stage, together
     * @param spillFolder of this machine, for spilled data
     */
    public static HostedSubtask open(
            StageWork work, SubtaskId id, long memoryBytes, Path spillFolder, SubtaskHost host) {
        JobControl control = new JobControl();
        BlockPool pool = new BlockPool();
        HostedPlacement placement = new HostedPlacement(work, id.subtask(), host, pool);
        long jobBytes =
                MemoryPlan.ofWholeStage(
                        work.graph(),
                        ExecutionGraph.of(work.graph()).stages().get(work.stage()),
                        memoryBytes);
        JobAssembly assembly =
                new JobAssembly(
                        work.graph(),
                        Math.max(MemoryShare.BYTES_MIN, jobBytes),
                        work.profiled(),
                        new Workspace(
                                control, pool, new SpillArea(spillFolder, work.spillBytesMax())),
                        host::moved,
                        placement,
                        host::sample);
        Subtask subtask = assembly.subtask(id);
        return new HostedSubtask(control, assembly, placement, subtask);
    }

    /**
     * By the edge's position in the graph, for each edge into this subtask that the runtime
     * transports.
     */
    public Map<Integer, HostedInput> inputs() {
        return inputs;
    }

    /** Sets the splitters of a range-partitioned edge. */
    public void settle(int edge, List<byte[]> cuts) {
        assembly.settle(edge, cuts);
    }

    /**
     * Runs to the end on this thread; fails with the first reason for which it was stopped, its own
     * failure or the argument of {@link #stop}.
     */
    public void run() {
        subtask.run();
        check();
    }

    /** Fails if it was stopped. */
    public void check() {
        switch (control.reason()) {
            case null -> {}
            case RuntimeException known -> throw known;
            case Error known -> throw known;
            case Throwable other ->
                    throw PetrichorException.of(
                            ErrorCode.UNAVAILABLE,
                            other,
                            "the task was stopped: {other}",
                            "other",
                            other);
        }
    }

    /** Stops it for this reason, unless it was stopped before. */
    public void stop(Throwable reason) {
        control.stop(reason);
    }

    public SortedMap<SubtaskId, SubtaskMetrics> measured() {
        return assembly.measured();
    }

    /** Bytes spilled so far. */
    public long spilledBytes() {
        return assembly.spilledBytes();
    }

    /** Releases its resources, when no thread runs in it any more. */
    public void close() {
        assembly.close();
        placement.close();
    }
}
