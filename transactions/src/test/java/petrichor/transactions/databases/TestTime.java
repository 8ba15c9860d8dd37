package petrichor.transactions.databases;

import java.util.concurrent.atomic.AtomicLong;
import petrichor.base.TimeSource;

/** Clocks that stand still until a test advances them. */
public final class TestTime implements TimeSource {
    private static final long START_MICROS = 1_800_000_000_000_000L;

    private final AtomicLong micros = new AtomicLong(START_MICROS);
    private final AtomicLong nanos = new AtomicLong(1);

    /** Advances the wall clock, and the monotonic clock if the step is positive. */
    public void advanceMicros(long step) {
        micros.addAndGet(step);
        nanos.addAndGet(Math.max(0, step) * 1_000);
    }

    @Override
    public long epochMicros() {
        return micros.get();
    }

    @Override
    public long monotonicNanos() {
        return nanos.get();
    }
}
