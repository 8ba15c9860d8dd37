package petrichor.services.cache;

import petrichor.base.TimeSource;

/** A clock that a test sets. */
final class SetTime implements TimeSource {
    private static final long MICROS_PER_SECOND = 1_000_000;

    private volatile long micros;

    SetTime(long epochSeconds) {
        this.micros = epochSeconds * MICROS_PER_SECOND;
    }

    void pass(long seconds) {
        micros += seconds * MICROS_PER_SECOND;
    }

    long epochSeconds() {
        return micros / MICROS_PER_SECOND;
    }

    @Override
    public long epochMicros() {
        return micros;
    }

    @Override
    public long monotonicNanos() {
        return micros * 1_000;
    }
}
