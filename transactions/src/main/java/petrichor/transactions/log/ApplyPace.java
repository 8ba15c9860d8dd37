package petrichor.transactions.log;

import java.time.Duration;

/**
 * How fast a store takes rows, and so how many bytes may wait to be applied: no more than it takes
 * within the longest wait of a commit. A new owner applies what waited before it serves, so this
 * also bounds a takeover, for slow stores and large rows too.
 *
 * <p>One thread at a time reports; any thread may ask.
 */
final class ApplyPace {
    private static final long BACKLOG_BYTES_MIN = 1L << 20;

    /** Commits that wait for room look again after each piece. */
    private static final Duration PIECE_TIME_MAX = Duration.ofSeconds(1);

    private static final long PIECE_BYTES_MIN = 256L << 10;
    private static final long PIECE_BYTES_MAX = 4L << 20;

    /** What earlier pieces weigh beside the next one. */
    private static final double DECAY = 0.8;

    private final long backlogBytesMax;
    private final Duration backlogTimeMax;

    private double bytes;
    private double nanos;
    private volatile double bytesPerNano;

    /**
     * @param backlogBytesMax never more than that
     * @param backlogTimeMax nor more than the store takes in this time, but {@link
     *     #BACKLOG_BYTES_MIN} always
     */
    ApplyPace(long backlogBytesMax, Duration backlogTimeMax) {
        this.backlogBytesMax = backlogBytesMax;
        this.backlogTimeMax = backlogTimeMax;
    }

    /** So many bytes were applied in so long. */
    void applied(long moreBytes, long moreNanos) {
        bytes = bytes * DECAY + moreBytes;
        nanos = nanos * DECAY + Math.max(1, moreNanos);
        bytesPerNano = bytes / nanos;
    }

    /** Most bytes that may wait. */
    long backlogBytesMax() {
        return Math.min(backlogBytesMax, Math.max(BACKLOG_BYTES_MIN, within(backlogTimeMax)));
    }

    /** Most bytes to apply at once, and between checkpoints; a lone commit may have more. */
    long pieceBytesMax() {
        return Math.clamp(within(PIECE_TIME_MAX), PIECE_BYTES_MIN, PIECE_BYTES_MAX);
    }

    private long within(Duration time) {
        return (long) (bytesPerNano * time.toNanos());
    }
}
