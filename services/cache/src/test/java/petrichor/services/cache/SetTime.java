package petrichor.services.cache;

import java.util.concurrent.atomic.AtomicLong;
import petrichor.base.TimeSource;

/** A clock that a test sets. */
final class SetTime implements TimeSource {
    private static final long MICROS_PER_SECOND = 1_000_000;

    private final AtomicLong micros;

    SetTime(long epochSeconds) {
        this.micros = new AtomicLong(epochSeconds * MICROS_PER_SECOND);
    }

    void pass(long seconds) {
        micros.addAndGet(seconds * MICROS_PER_SECOND);
    }

    long epochSeconds() {
        return micros.get() / MICROS_PER_SECOND;
    }

    @Override
    public long epochMicros() {
        return micros.get();
    }

    @Override
    public long monotonicNanos() {
        return micros.get() * 1_000;
    }
}
