package petrichor.jobs.jobgraph;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * What one channel of a subtask has carried so far.
 *
 * @param to whom it leads to
 * @param waitedNanos how long its sender could not go on because the channel was full
 * @param elapsedNanos from its first block to its end, or to that moment
 */
public record ChannelFigures(SubtaskId to, long bytes, long waitedNanos, long elapsedNanos)
        implements Serializable {
    /** The part of its time in which it was full: near 1, what lies behind it is too slow. */
    public double saturation() {
        return elapsedNanos == 0 ? 0 : Math.min(1, (double) waitedNanos / elapsedNanos);
    }

    ChannelFigures since(@Nullable ChannelFigures earlier) {
        return earlier == null
                ? this
                : new ChannelFigures(
                        to,
                        bytes - earlier.bytes,
                        waitedNanos - earlier.waitedNanos,
                        elapsedNanos - earlier.elapsedNanos);
    }

    ChannelFigures plus(ChannelFigures other) {
        return new ChannelFigures(
                to,
                bytes + other.bytes,
                waitedNanos + other.waitedNanos,
                elapsedNanos + other.elapsedNanos);
    }
}
