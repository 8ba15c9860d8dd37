package petrichor.jobs.flink;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.TreeMap;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.SubtaskFigures;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskState;

/** What is said between a stage's tasks, its coordinator, and whoever follows it. Data only. */
sealed interface StageMessage extends Serializable {

    /** A subtask has gone on. */
    record Move(SubtaskId subtask, TaskState to, @Nullable String why) implements Serializable {}

    /** One receiver of an edge. */
    record Way(int edge, int receiver) implements Serializable {}

    /**
     * From a task, again and again: what is new with it.
     *
     * @param attempt which attempt of the task speaks, from 0
     * @param machine where it runs
     * @param samples by edge, of what it has seen for edges whose ranges are sampled
     * @param enough of edges that lead to it, those from which it wants no more
     * @param busy of edges that lead to it, which part of its time, 0 to 1, went to what had
     *     arrived instead of waiting for it
     */
    record Report(
            SubtaskId task,
            int attempt,
            String machine,
            ArrayList<Move> moves,
            TreeMap<SubtaskId, SubtaskFigures> figures,
            HashMap<Integer, ArrayList<byte[]>> samples,
            HashSet<Integer> enough,
            HashMap<Integer, Double> busy)
            implements StageMessage, CoordinationRequest {}

    /**
     * What a sender should know of a receiver.
     *
     * @param away it is on another machine
     * @param busy as in a report
     */
    record Reception(boolean away, double busy) implements Serializable {}

    /**
     * The answer to a report.
     *
     * @param cuts where ranges are cut, by edge, as far as all samples are there
     * @param enough to whom nothing more need be sent
     * @param receptions of receivers of the task that are known, one by one
     */
    record Known(
            HashMap<Integer, ArrayList<byte[]>> cuts,
            HashSet<Way> enough,
            HashMap<Way, Reception> receptions)
            implements StageMessage, CoordinationResponse {}

    /** From whoever follows: what is new since the last time? */
    record Ask() implements StageMessage, CoordinationRequest {}

    /**
     * The answer.
     *
     * @param attempts how often the stage was begun
     * @param missing why machines are missing that the cluster leases; empty if none is
     */
    record News(
            int attempts,
            ArrayList<Move> moves,
            TreeMap<SubtaskId, SubtaskFigures> figures,
            String missing)
            implements StageMessage, CoordinationResponse {}

    /** What a task leaves when it has ended well; travels as an accumulator of Flink's. */
    record Left(TreeMap<SubtaskId, SubtaskFigures> figures, long spilledBytes)
            implements StageMessage {}
}
