package petrichor.transactions.migration;

import java.time.Duration;

/**
 * Governs the rate of a copy by the latency of the source: when steps take much longer than before
 * the copy, the copier pauses between its rounds, twice as long each time, and half as long when
 * they do not. Confined to one thread.
 */
public final class LatencyGovernor {
    /** How much longer steps may take than before the copy. */
    private static final double SLOWER_MAX = 2.0;

    /** Below this, a step is fast regardless of the former time. */
    private static final long FAST_NANOS = 2_000_000;

    private static final long PAUSE_NANOS_MIN = 5_000_000;
    private static final long PAUSE_NANOS_MAX = 500_000_000;

    private final long baselineNanos;
    private long pauseNanos;

    /**
     * @param baselineNanos average time of a step before the copy; 0 if there was none
     */
    public LatencyGovernor(long baselineNanos) {
        this.baselineNanos = baselineNanos;
    }

    /** The pause before the next round, given the average time of recent steps. */
    public Duration next(long stepNanos) {
        long allowed = (long) Math.max(FAST_NANOS, baselineNanos * SLOWER_MAX);
        if (stepNanos > allowed) {
            pauseNanos = Math.clamp(pauseNanos * 2, PAUSE_NANOS_MIN, PAUSE_NANOS_MAX);
        } else {
            pauseNanos = pauseNanos <= PAUSE_NANOS_MIN ? 0 : pauseNanos / 2;
        }
        return Duration.ofNanos(pauseNanos);
    }
}
