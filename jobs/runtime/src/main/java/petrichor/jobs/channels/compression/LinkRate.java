package petrichor.jobs.channels.compression;

/**
 * Estimates the wire's rate for this channel, in bytes per nanosecond, from the reader's reports.
 * While both sides wait for the wire, it is the arrival rate. While the wire waits for them, the
 * arrival rate is only a lower bound; then the estimate is raised step by step, until a weaker
 * level is chosen, the wire is saturated again and its rate can be measured. If that was not higher
 * than before, the next probe comes later.
 *
 * <p>The trains of bytes in which blocks arrive bound those steps, but are not trusted beyond that:
 * a traffic shaper often lets a burst through at any speed.
 *
 * <p>For one thread at a time.
 */
final class LinkRate {
    /** 60 MB/s: the rate assumed of an unknown wire, half of a gigabit link. */
    private static final double ASSUMED = 0.06;

    private static final double MAX = 10;
    private static final long WINDOW_NANOS_MIN = 40_000_000L;
    private static final long WINDOW_BYTES_MIN = 64 << 10;

    /** The first windows are shorter: any measurement is better than an assumption. */
    private static final long FIRST_WINDOW_NANOS_MIN = 8_000_000L;

    /** A window this long is evaluated even if it carried little data. */
    private static final long WINDOW_NANOS_ENOUGH = 250_000_000L;

    private static final long TRAIN_BYTES_MIN = 16 << 10;

    /** Less waiting than this may be caused by a busy processor. */
    private static final double WRITER_WAITS_MIN = 0.2;

    private static final double READER_WAITS_MIN = 0.04;

    /** On a saturated wire most bytes arrive in trains... */
    private static final double BUSY_TRAIN_SHARE_MIN = 0.25;

    /** ...whose rate is close to the overall rate. */
    private static final double BUSY_TRAIN_RATE_MAX = 2;

    /** A change by more than this fraction is real, not noise. */
    private static final double JUMP_SHARE = 0.25;

    private static final double NOISE_WEIGHT = 0.3;
    private static final double STEP = 1.25;

    /** Step while nothing has been measured yet: a fast wire is to be found soon. */
    private static final double FIRST_STEP = 1.6;

    /** After a measurement on a saturated wire, the rate is kept for this long... */
    private static final long HOLD_NANOS_MIN = 700_000_000L;

    /** ...and for up to this long if the same rate was measured repeatedly. */
    private static final long HOLD_NANOS_MAX = 6_000_000_000L;

    private double rate = ASSUMED;
    private boolean known;
    private boolean stepping;
    private double toldRate;
    private long toldAtNanos;
    private long holdNanos = HOLD_NANOS_MIN;
    private DrainReport windowBegin = DrainReport.NOTHING;
    private boolean started;
    private long writerWaitNanos;

    double bytesPerNano() {
        return rate;
    }

    void writerWaited(long nanos) {
        writerWaitNanos += nanos;
    }

    void drained(DrainReport report) {
        if (!started) {
            started = true;
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
            learn(window, nanos, report.readerNanos());
            windowBegin = report;
            writerWaitNanos = 0;
        }
    }

    /** There is no window before the first report, but a slow wire shows in the first train. */
    private void firstLook(DrainReport report) {
        if (report.trainBytes() >= TRAIN_BYTES_MIN && report.burstNanos() > 0) {
            rate = Math.min(rate, trainRate(report));
        }
    }

    private void learn(DrainReport window, long nanos, long nowNanos) {
        double arrived = Math.clamp((double) window.arrivedBytes() / nanos, 1e-6, MAX);
        boolean bothWait =
                writerWaitNanos >= WRITER_WAITS_MIN * nanos
                        && window.idleNanos() >= READER_WAITS_MIN * nanos;
        if (bothWait && flowsWithoutGaps(window, arrived)) {
            told(arrived, nowNanos);
            return;
        }
        rate = Math.max(rate, arrived);
        if (known && nowNanos - toldAtNanos < holdNanos) {
            return;
        }
        double step = known ? STEP : FIRST_STEP;
        rate = Math.clamp(bounded(window, nanos), rate, Math.min(MAX, rate * step));
        stepping = true;
    }

    /**
     * Both sides also wait while few blocks are in flight and each has to be acknowledged first.
     * Then blocks arrive singly and whole; on a saturated wire they arrive in pieces, back to back.
     */
    private static boolean flowsWithoutGaps(DrainReport window, double arrived) {
        return window.trainBytes() >= BUSY_TRAIN_SHARE_MIN * window.arrivedBytes()
                && window.trainBytes() <= BUSY_TRAIN_RATE_MAX * arrived * window.burstNanos();
    }

    /** The upper bound of the rate that follows from the trains. */
    private static double bounded(DrainReport window, long nanos) {
        if (window.trainBytes() < TRAIN_BYTES_MIN || window.burstNanos() <= 0) {
            return MAX;
        }
        double others = Math.clamp((double) window.othersNanos() / nanos, 0, 0.95);
        return trainRate(window) * (1 - others);
    }

    private void told(double arrived, long nowNanos) {
        boolean jump = !known || stepping || Math.abs(arrived - rate) > JUMP_SHARE * rate;
        if (stepping) {
            boolean asBefore = known && Math.abs(arrived - toldRate) < JUMP_SHARE * toldRate;
            holdNanos = asBefore ? Math.min(HOLD_NANOS_MAX, 2 * holdNanos) : HOLD_NANOS_MIN;
        }
        rate = jump ? arrived : rate + NOISE_WEIGHT * (arrived - rate);
        known = true;
        stepping = false;
        toldRate = rate;
        toldAtNanos = nowNanos;
    }

    private static double trainRate(DrainReport window) {
        return (double) window.trainBytes() / window.burstNanos();
    }
}
