package petrichor.apps.instances;

import java.time.Duration;
import petrichor.base.TimeSource;

/**
 * Token bucket: lines per second, with a burst of one second. Used by one thread, except for the
 * count.
 */
final class LineRate {
    private static final long SECOND_NANOS = Duration.ofSeconds(1).toNanos();

    private final int perSecondMax;
    private final TimeSource time;
    private double tokens;
    private long filledNanos;
    private long droppedSincePass;
    private volatile long dropped;

    LineRate(int perSecondMax, TimeSource time) {
        this.perSecondMax = perSecondMax;
        this.time = time;
        this.tokens = perSecondMax;
        this.filledNanos = time.monotonicNanos();
    }

    /** False if the line must be dropped. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    boolean passes() {
        long now = time.monotonicNanos();
        double earned = (now - filledNanos) * (double) perSecondMax / SECOND_NANOS;
        tokens = Math.min(perSecondMax, tokens + earned);
        filledNanos = now;
        if (tokens >= 1) {
            tokens--;
            return true;
        }
        droppedSincePass++;
        dropped++;
        return false;
    }

    /** Lines dropped since the last call. */
    long takeDropped() {
        long taken = droppedSincePass;
        droppedSincePass = 0;
        return taken;
    }

    /** All dropped lines. */
    long dropped() {
        return dropped;
    }
}
