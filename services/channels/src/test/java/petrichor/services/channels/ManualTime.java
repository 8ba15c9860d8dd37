package petrichor.services.channels;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import petrichor.base.TimeSource;

/** A clock that a test moves. */
final class ManualTime implements TimeSource {
    private static final long START_NANOS = Duration.ofDays(20_000).toNanos();

    private final AtomicLong nanos = new AtomicLong(START_NANOS);

    void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Override
    public long epochMicros() {
        return nanos.get() / 1_000;
    }

    @Override
    public long monotonicNanos() {
        return nanos.get();
    }
}
