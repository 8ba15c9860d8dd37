package petrichor.testing.simulation;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import petrichor.base.TimeSource;

/**
 * The clocks of a machine, advanced by the scheduler: the wall clock may jump and freeze, the
 * monotonic clock only moves forward.
 */
final class SimulatedClock implements TimeSource {
    /** 2026-01-01; any time after 1970 would do. */
    private static final long START_MICROS = 1_767_225_600_000_000L;

    private final AtomicLong wallMicros = new AtomicLong(START_MICROS);
    private final AtomicLong nanos = new AtomicLong(1);
    private boolean frozen;

    @Override
    public long epochMicros() {
        return wallMicros.get();
    }

    @Override
    public long monotonicNanos() {
        return nanos.get();
    }

    void advance(long micros) {
        nanos.addAndGet(TimeUnit.MICROSECONDS.toNanos(micros));
        if (!frozen) {
            wallMicros.addAndGet(micros);
        }
    }

    /** Adjusts the wall clock, as an administrator or a time server does. */
    void jump(long micros) {
        wallMicros.set(Math.max(START_MICROS / 2, wallMicros.get() + micros));
    }

    void freeze(boolean now) {
        frozen = now;
    }
}
