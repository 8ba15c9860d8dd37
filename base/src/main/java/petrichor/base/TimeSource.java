package petrichor.base;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Source of time, so that a seed can replay a run. Thread-safe. */
public interface TimeSource {
    /** Microseconds since 1970-01-01T00:00:00Z; may jump, also backwards. */
    long epochMicros();

    /** Nanoseconds of a monotonic clock; for measuring durations. */
    long monotonicNanos();

    /** The machine's clocks. */
    TimeSource SYSTEM =
            new TimeSource() {
                @Override
                public long epochMicros() {
                    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
                }

                @Override
                public long monotonicNanos() {
                    return System.nanoTime();
                }
            };
}
