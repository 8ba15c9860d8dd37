package petrichor.jobs.engine.workers;

import java.io.Serializable;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.SubtaskMetrics;
import petrichor.jobs.jobgraph.TaskState;

/**
 * The messages between a job master and its workers, over the standard input and output of the
 * worker. Pure data.
 */
sealed interface WorkerMessage extends Serializable {
    /** To a worker, as the first message: the shared secret of the job's processes. */
    record Hello(String token) implements WorkerMessage {}

    /** From a worker: the address of its data plane. */
    record Here(InetSocketAddress address) implements WorkerMessage {}

    /**
     * To a worker: its part of a job.
     *
     * @param worker its number
     * @param addresses of all workers, by number
     * @param slots maps subtasks to workers
     */
    @SuppressWarnings("serial") // the lists are copies, which are serializable
    record Assign(
            JobGraph graph,
            int worker,
            List<InetSocketAddress> addresses,
            SlotAssignment slots,
            long memoryBytes,
            String spillFolder,
            long spillBytesMax,
            boolean profiled)
            implements WorkerMessage {}

    /** To a worker: run this stage; all earlier stages have ended. */
    record RunStage(int stage) implements WorkerMessage {}

    /** From a worker: its subtasks of a stage have succeeded. */
    record StageDone(int stage, long spilledBytes) implements WorkerMessage {}

    /** From a worker: a subtask has changed its state. */
    record Moved(SubtaskId subtask, TaskState to, @Nullable String why) implements WorkerMessage {}

    /** From a worker: metrics of its subtasks. */
    record Measured(TreeMap<SubtaskId, SubtaskMetrics> metrics) implements WorkerMessage {}

    /** From a worker: one sender's sample of the records of an edge. */
    @SuppressWarnings("serial")
    record Sample(int edge, List<byte[]> records) implements WorkerMessage {}

    /** To a worker: the splitters of an edge. */
    @SuppressWarnings("serial")
    record Cuts(int edge, List<byte[]> cuts) implements WorkerMessage {}

    /** To a worker: the job has succeeded, and another one may follow. */
    record Release() implements WorkerMessage {}

    /** From a worker: it is ready for another job; the last message of this one. */
    record Released() implements WorkerMessage {}

    /** From a worker: heartbeat, every second, regardless of its subtasks. */
    record Alive() implements WorkerMessage {}

    /** From a worker: it has failed. */
    record Failed(ErrorCode code, String text) implements WorkerMessage {}
}
