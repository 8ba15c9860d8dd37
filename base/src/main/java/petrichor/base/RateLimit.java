package petrichor.base;

/** Token bucket: {@code perMinute} permits at once, refilled within a minute. Thread-safe. */
public final class RateLimit {
    private static final double MINUTE_NANOS = 60e9;

    private final int perMinute;
    private final TimeSource time;
    private double permits;
    private long filledNanos;

    public RateLimit(int perMinute, TimeSource time) {
        this.perMinute = perMinute;
        this.time = time;
        this.permits = perMinute;
        this.filledNanos = time.monotonicNanos();
    }

    /** Takes all of these permits, or none. */
    public synchronized boolean take(int wanted) {
        long now = time.monotonicNanos();
        permits = Math.min(perMinute, permits + (now - filledNanos) * perMinute / MINUTE_NANOS);
        filledNanos = now;
        if (permits < wanted) {
            return false;
        }
        permits -= wanted;
        return true;
    }
}
