package petrichor.base;

import java.time.Duration;

/**
 * Token bucket: up to {@code burst} permits at once, refilled with {@code perMinute} in a minute. A
 * new limit has a full bucket. Thread-safe.
 */
public final class RateLimit {
    private static final double MINUTE_NANOS = 60e9;

    private final TimeSource time;
    private long perMinute;
    private long burst;
    private double permits;
    private long filledNanos;

    /** With a burst of all permits of a minute. */
    public RateLimit(int perMinute, TimeSource time) {
        this(perMinute, perMinute, time);
    }

    /**
     * @param perMinute at least 1
     * @param burst at least 1
     */
    public RateLimit(long perMinute, long burst, TimeSource time) {
        this.perMinute = perMinute;
        this.burst = burst;
        this.time = time;
        this.permits = (double) burst;
        this.filledNanos = time.monotonicNanos();
    }

    /** Another limit from now on. Permits that were taken stay taken. */
    public synchronized void change(long otherPerMinute, long otherBurst) {
        if (otherPerMinute != perMinute || otherBurst != burst) {
            fill();
            permits += (double) otherBurst - burst;
            perMinute = otherPerMinute;
            burst = otherBurst;
        }
    }

    private void fill() {
        long now = time.monotonicNanos();
        double earned = (double) (now - filledNanos) * perMinute / MINUTE_NANOS;
        permits = Math.min((double) burst, permits + earned);
        filledNanos = now;
    }

    /** Takes all of these permits, or none. */
    public synchronized boolean take(int wanted) {
        fill();
        if (permits < wanted) {
            return false;
        }
        permits -= wanted;
        return true;
    }

    /** Until this many permits are there, unless another call takes some; zero if they are. */
    public synchronized Duration until(int wanted) {
        fill();
        double missing = Math.max(0, (double) Math.min(wanted, burst) - permits);
        return Duration.ofNanos((long) Math.ceil(missing * MINUTE_NANOS / (double) perMinute));
    }
}
