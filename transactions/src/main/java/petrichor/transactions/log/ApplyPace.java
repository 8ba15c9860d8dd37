package petrichor.transactions.log;

import java.time.Duration;

/**
 * Estimates how long a store needs to apply rows: a cost per row and a cost per byte, learned from
 * earlier pieces. Bytes alone are a poor measure: a store may apply one value of a megabyte as fast
 * as two rows of a few bytes. A new owner applies the backlog before it serves, so this estimate
 * bounds the backlog, for slow stores and rows of any size.
 *
 * <p>One thread at a time reports measurements; any thread may read the estimate.
 */
final class ApplyPace {
    /**
     * Target duration of a piece, and of the work between checkpoints; a single commit may take
     * longer.
     */
    static final Duration PIECE_TIME_MAX = Duration.ofSeconds(1);

    static final long PIECE_BYTES_MAX = 4L << 20;

    /** The initial estimate: 1,000 rows, or 16 MB, per second. */
    private static final Cost FIRST = new Cost(1e6, 60);

    /** Bounds of the estimate, so that outliers have no lasting effect. */
    private static final Cost LEAST = new Cost(1e4, 0.6);

    private static final Cost MOST = new Cost(1e9, 60_000);

    /** How far one measurement moves the estimate, as an exponent of the error. */
    private static final double GAIN = 0.5;

    private static final double ERROR_MAX = 4;

    private record Cost(double nanosPerRow, double nanosPerByte) {
        double nanos(long rows, long bytes) {
            return rows * nanosPerRow + bytes * nanosPerByte;
        }
    }

    private volatile Cost cost = FIRST;

    /** Learns from a piece: the cost with the larger share of the expected time moves further. */
    void applied(long rows, long bytes, long nanos) {
        Cost now = cost;
        double expected = now.nanos(rows, bytes);
        if (expected <= 0) {
            return;
        }
        double error = Math.clamp(nanos / expected, 1 / ERROR_MAX, ERROR_MAX);
        double ofRows = rows * now.nanosPerRow / expected;
        cost =
                new Cost(
                        Math.clamp(
                                now.nanosPerRow * Math.pow(error, GAIN * ofRows),
                                LEAST.nanosPerRow,
                                MOST.nanosPerRow),
                        Math.clamp(
                                now.nanosPerByte * Math.pow(error, GAIN * (1 - ofRows)),
                                LEAST.nanosPerByte,
                                MOST.nanosPerByte));
    }

    /** The expected time to apply these rows. */
    Duration expectedTime(long rows, long bytes) {
        return Duration.ofNanos((long) cost.nanos(rows, bytes));
    }

    /** Whether these rows fill a piece. */
    boolean fillsPiece(long rows, long bytes) {
        return bytes >= PIECE_BYTES_MAX || expectedTime(rows, bytes).compareTo(PIECE_TIME_MAX) >= 0;
    }
}
