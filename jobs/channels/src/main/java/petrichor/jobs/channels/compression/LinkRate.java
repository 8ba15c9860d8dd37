package petrichor.jobs.channels.compression;

/**
 * How many bytes per nanosecond the wire takes from this channel, learned from the reader's
 * reports. While both sides wait for the wire, that is what arrived. While the wire waits for them,
 * arrivals say little, but the trains do: the bytes of one block come as fast as the wire is. Where
 * even trains are too short to say, the wire is taken to be faster than thought, step by step,
 * until something says otherwise. For one thread at a time.
 */
final class LinkRate {
    /** 60 MB/s: what is assumed of a wire that nothing is known of, half of a gigabit link. */
    private static final double ASSUMED = 0.06;

    private static final double MAX = 10;
    private static final long WINDOW_NANOS_MIN = 40_000_000L;
    private static final long WINDOW_BYTES_MIN = 64 << 10;

    /** The first look is shorter: anything is better than an assumption. */
    private static final long FIRST_WINDOW_NANOS_MIN = 5_000_000L;

    /** A window this long is judged whatever little it carried. */
    private static final long WINDOW_NANOS_ENOUGH = 250_000_000L;

    private static final long TRAIN_BYTES_MIN = 16 << 10;
    private static final double WRITER_WAITS_MIN = 0.08;
    private static final double READER_WAITS_MIN = 0.04;

    /** A window that differs by more than this share is a change, not noise. */
    private static final double JUMP_SHARE = 0.25;

    private static final double NOISE_WEIGHT = 0.3;
    private static final double GROWTH = 1.25;

    private double rate = ASSUMED;
    private boolean known;
    private DrainReport windowBegin = DrainReport.NOTHING;
    private boolean begun;
    private long writerWaitNanos;

    double bytesPerNano() {
        return rate;
    }

    boolean known() {
        return known;
    }

    void writerWaited(long nanos) {
        writerWaitNanos += nanos;
    }

    void drained(DrainReport report) {
        if (!begun) {
            begun = true;
            firstLook(report);
            windowBegin = report;
            writerWaitNanos = 0;
            return;
        }
        DrainReport window = report.since(windowBegin);
        long nanos = window.readerNanos();
        long nanosMin = known ? WINDOW_NANOS_MIN : FIRST_WINDOW_NANOS_MIN;
        boolean judged =
                (nanos >= nanosMin && window.arrivedBytes() >= WINDOW_BYTES_MIN)
                        || nanos >= WINDOW_NANOS_ENOUGH;
        if (judged) {
            learn(sample(window, nanos));
            windowBegin = report;
            writerWaitNanos = 0;
        }
    }

    /** There is no window before the first report, but there may have been a train. */
    private void firstLook(DrainReport report) {
        if (report.trainBytes() >= TRAIN_BYTES_MIN && report.trainNanos() > 0) {
            learn(trainRate(report));
        }
    }

    private double sample(DrainReport window, long nanos) {
        double arrived = (double) window.arrivedBytes() / nanos;
        boolean bothWait =
                writerWaitNanos >= WRITER_WAITS_MIN * nanos
                        && window.idleNanos() >= READER_WAITS_MIN * nanos;
        if (bothWait) {
            return arrived;
        }
        if (window.trainBytes() >= TRAIN_BYTES_MIN && window.trainNanos() > 0) {
            double others = Math.clamp((double) window.othersNanos() / nanos, 0, 0.95);
            return Math.max(arrived, trainRate(window) * (1 - others));
        }
        return Math.max(arrived, rate * GROWTH);
    }

    private static double trainRate(DrainReport window) {
        return (double) window.trainBytes() / window.trainNanos();
    }

    private void learn(double sample) {
        double bounded = Math.clamp(sample, 1e-6, MAX);
        boolean jump = !known || Math.abs(bounded - rate) > JUMP_SHARE * rate;
        rate = jump ? bounded : rate + NOISE_WEIGHT * (bounded - rate);
        known = true;
    }
}
