package petrichor.jobs.jobgraph;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * What one subtask has done so far, at one moment.
 *
 * @param waitedForInputNanos how long it had nothing to do
 * @param waitedForRoomNanos how long those behind it did not take its results
 * @param elapsedNanos from its start to its end, or to that moment; 0 for what has no thread of its
 *     own
 * @param level how its newest block for another process was compressed; null if there was none
 */
public record SubtaskFigures(
        long recordsIn,
        long bytesIn,
        long recordsOut,
        long bytesOut,
        long waitedForInputNanos,
        long waitedForRoomNanos,
        long elapsedNanos,
        @Nullable String level)
        implements Serializable {
    public static final SubtaskFigures NONE = new SubtaskFigures(0, 0, 0, 0, 0, 0, 0, null);

    public long waitingNanos() {
        return Math.min(waitedForInputNanos + waitedForRoomNanos, elapsedNanos);
    }

    /** How long it has worked. */
    public long processingNanos() {
        return elapsedNanos - waitingNanos();
    }

    /** Both together; times are summed. */
    public SubtaskFigures plus(SubtaskFigures other) {
        return new SubtaskFigures(
                recordsIn + other.recordsIn,
                bytesIn + other.bytesIn,
                recordsOut + other.recordsOut,
                bytesOut + other.bytesOut,
                waitedForInputNanos + other.waitedForInputNanos,
                waitedForRoomNanos + other.waitedForRoomNanos,
                elapsedNanos + other.elapsedNanos,
                other.level == null ? level : other.level);
    }
}
