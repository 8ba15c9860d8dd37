package petrichor.jobs.flink;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.TreeMap;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.SubtaskMetrics;
import petrichor.jobs.jobgraph.TaskState;

/**
 * The messages between a stage's tasks, its coordinator, and the client that follows it. Pure data.
 */
sealed interface StageMessage extends Serializable {

    /** A subtask has changed its state. */
    record Move(SubtaskId subtask, TaskState to, @Nullable String why) implements Serializable {}

    /** One receiver of an edge. */
    record Route(int edge, int receiver) implements Serializable {}

    /**
     * Periodically sent by a task with its news.
     *
     * @param attempt number of the task's attempt, from 0
     * @param machine where it runs
     * @param samples by edge, of the records of edges whose ranges are sampled
     * @param cancelled incoming edges from which it wants no more
     * @param busy by incoming edge, the fraction of its time, 0 to 1, spent on received data rather
     *     than waiting for it
     */
    record Report(
            SubtaskId task,
            int attempt,
            String machine,
            ArrayList<Move> moves,
            TreeMap<SubtaskId, SubtaskMetrics> metrics,
            HashMap<Integer, ArrayList<byte[]>> samples,
            HashSet<Integer> cancelled,
            HashMap<Integer, Double> busy)
            implements StageMessage, CoordinationRequest {}

    /**
     * What a sender needs to know of a receiver.
     *
     * @param away whether it is on another machine
     * @param busy as in a report
     */
    record Reception(boolean away, double busy) implements Serializable {}

    /**
     * The answer to a report.
     *
     * @param cuts splitters, by edge, where all samples are complete
     * @param cancelled receivers that want no more
     * @param receptions state of each known receiver of the task
     */
    record Known(
            HashMap<Integer, ArrayList<byte[]>> cuts,
            HashSet<Route> cancelled,
            HashMap<Route, Reception> receptions)
            implements StageMessage, CoordinationResponse {}

    /** From the client: requests the news since its last request. */
    record Ask() implements StageMessage, CoordinationRequest {}

    /**
     * The answer.
     *
     * @param attempts number of attempts of the stage
     * @param missing why machines are missing that the cluster leases; empty if none is
     */
    record News(
            int attempts,
            ArrayList<Move> moves,
            TreeMap<SubtaskId, SubtaskMetrics> metrics,
            String missing)
            implements StageMessage, CoordinationResponse {}

    /** The results that a task leaves when it has succeeded, as a Flink accumulator. */
    record Left(TreeMap<SubtaskId, SubtaskMetrics> metrics, long spilledBytes)
            implements StageMessage {}
}
