package petrichor.transactions.log;

import java.time.Duration;

/**
 * How long a store takes to apply rows: so much per row and so much per byte, learned from what was
 * applied before. Bytes alone say little: one store takes a megabyte in one value as fast as two
 * rows of a few bytes. A new owner applies what waited before it serves, so what may wait is
 * bounded by this time, for slow stores and rows of any size.
 *
 * <p>One thread at a time reports; any thread may ask.
 */
final class ApplyPace {
    /** Work that is done at once, and between checkpoints; a lone commit may take longer. */
    static final Duration PIECE_TIME_MAX = Duration.ofSeconds(1);

    static final long PIECE_BYTES_MAX = 4L << 20;

    /** Of a store that nothing is known about: 1,000 rows, or 16 MB, in a second. */
    private static final Cost FIRST = new Cost(1e6, 60);

    /** A hundredth and a thousand times that: one odd measurement must not count for ever. */
    private static final Cost LEAST = new Cost(1e4, 0.6);

    private static final Cost MOST = new Cost(1e9, 60_000);

    /** How far one measurement moves what is expected, as an exponent of the error. */
    private static final double GAIN = 0.5;

    private static final double ERROR_MAX = 4;

    private record Cost(double nanosPerRow, double nanosPerByte) {
        double nanos(long rows, long bytes) {
            return rows * nanosPerRow + bytes * nanosPerByte;
        }
    }

    private volatile Cost cost = FIRST;

    /** So much was applied in so long: the term that explains most of it moves most. */
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

    /** Expected time to apply so much. */
    Duration of(long rows, long bytes) {
        return Duration.ofNanos((long) cost.nanos(rows, bytes));
    }

    /** Whether so much is enough for one piece. */
    boolean isPiece(long rows, long bytes) {
        return bytes >= PIECE_BYTES_MAX || of(rows, bytes).compareTo(PIECE_TIME_MAX) >= 0;
    }
}
