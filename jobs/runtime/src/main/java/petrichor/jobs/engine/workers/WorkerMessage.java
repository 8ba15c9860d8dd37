package petrichor.jobs.engine.workers;

import java.io.Serializable;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.SubtaskFigures;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskState;

/**
 * What a job's coordinator and its worker processes tell each other, over the standard input and
 * output of the worker. Data only.
 */
sealed interface WorkerMessage extends Serializable {
    /** To a worker, first of all: by what the processes of the job know each other. */
    record Hello(String token) implements WorkerMessage {}

    /** From a worker: where its channels listen. */
    record Here(InetSocketAddress address) implements WorkerMessage {}

    /**
     * To a worker: its part of a job.
     *
     * @param worker its number
     * @param addresses of all workers, by number
     * @param slots which of them runs which subtask
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

    /** To a worker: all that stands before this stage has ended. */
    record RunStage(int stage) implements WorkerMessage {}

    /** From a worker: its subtasks of a stage have ended well. */
    record StageDone(int stage, long spilledBytes) implements WorkerMessage {}

    /** From a worker: one of its subtasks has gone on. */
    record Moved(SubtaskId subtask, TaskState to, @Nullable String why) implements WorkerMessage {}

    /** From a worker: what its subtasks have done so far. */
    record Measured(TreeMap<SubtaskId, SubtaskFigures> figures) implements WorkerMessage {}

    /** From a worker: what a sender has seen of the records of an edge. */
    @SuppressWarnings("serial")
    record Sample(int edge, List<byte[]> records) implements WorkerMessage {}

    /** To a worker: where the ranges of an edge are cut. */
    @SuppressWarnings("serial")
    record Cuts(int edge, List<byte[]> cuts) implements WorkerMessage {}

    /** To a worker: the job has ended well, and another one may follow. */
    record Release() implements WorkerMessage {}

    /** From a worker: it is ready for another job; the last message of this one. */
    record Released() implements WorkerMessage {}

    /** From a worker, every second as long as it lives, whatever its subtasks do. */
    record Alive() implements WorkerMessage {}

    /** From a worker: why it cannot go on. */
    record Failed(ErrorCode code, String text) implements WorkerMessage {}
}
