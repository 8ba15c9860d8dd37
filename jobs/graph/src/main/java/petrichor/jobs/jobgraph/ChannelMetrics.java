package petrichor.jobs.jobgraph;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of one channel so far.
 *
 * @param to the receiving subtask
 * @param waitedNanos how long its sender was blocked because the channel was full
 * @param elapsedNanos from its first block to its end, or until now
 */
public record ChannelMetrics(SubtaskId to, long bytes, long waitedNanos, long elapsedNanos)
        implements Serializable {
    /**
     * The fraction of its time in which it was full (back-pressure): near 1, its receiver or a
     * later task is too slow.
     */
    public double saturation() {
        return elapsedNanos == 0 ? 0 : Math.min(1, (double) waitedNanos / elapsedNanos);
    }

    ChannelMetrics since(@Nullable ChannelMetrics earlier) {
        return earlier == null
                ? this
                : new ChannelMetrics(
                        to,
                        bytes - earlier.bytes,
                        waitedNanos - earlier.waitedNanos,
                        elapsedNanos - earlier.elapsedNanos);
    }

    ChannelMetrics plus(ChannelMetrics other) {
        return new ChannelMetrics(
                to,
                bytes + other.bytes,
                waitedNanos + other.waitedNanos,
                elapsedNanos + other.elapsedNanos);
    }
}
