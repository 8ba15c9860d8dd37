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
     * @param samples by edge, of what it has seen for edges whose ranges are sampled
     * @param enough of edges that lead to it, those from which it wants no more
     */
    record Report(
            SubtaskId task,
            int attempt,
            ArrayList<Move> moves,
            TreeMap<SubtaskId, SubtaskFigures> figures,
            HashMap<Integer, ArrayList<byte[]>> samples,
            HashSet<Integer> enough)
            implements StageMessage, CoordinationRequest {}

    /**
     * The answer to a report.
     *
     * @param cuts where ranges are cut, by edge, as far as all samples are there
     * @param enough to whom nothing more need be sent
     */
    record Known(HashMap<Integer, ArrayList<byte[]>> cuts, HashSet<Way> enough)
            implements StageMessage, CoordinationResponse {}

    /** From whoever follows: what is new since the last time? */
    record Ask() implements StageMessage, CoordinationRequest {}

    /**
     * The answer.
     *
     * @param attempts how often the stage was begun
     */
    record News(int attempts, ArrayList<Move> moves, TreeMap<SubtaskId, SubtaskFigures> figures)
            implements StageMessage, CoordinationResponse {}

    /** What a task leaves when it has ended well; travels as an accumulator of Flink's. */
    record Left(TreeMap<SubtaskId, SubtaskFigures> figures, long spilledBytes)
            implements StageMessage {}
}
