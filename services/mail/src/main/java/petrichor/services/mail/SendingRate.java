package petrichor.services.mail;

import petrichor.base.TimeSource;

/** Token bucket: {@code perMinute} mails at once, refilled within a minute. Thread-safe. */
final class SendingRate {
    private static final double MINUTE_NANOS = 60e9;

    private final int perMinute;
    private final TimeSource time;
    private double tokens;
    private long filledNanos;

    SendingRate(int perMinute, TimeSource time) {
        this.perMinute = perMinute;
        this.time = time;
        this.tokens = perMinute;
        this.filledNanos = time.monotonicNanos();
    }

    synchronized boolean take() {
        long now = time.monotonicNanos();
        tokens = Math.min(perMinute, tokens + (now - filledNanos) * perMinute / MINUTE_NANOS);
        filledNanos = now;
        if (tokens < 1) {
            return false;
        }
        tokens--;
        return true;
    }
}
