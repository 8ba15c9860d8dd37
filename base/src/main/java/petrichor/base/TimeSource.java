package petrichor.base;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Where time comes from, so that a seed can replay a run. Safe for any thread. */
public interface TimeSource {
    /** Microseconds since 1970-01-01T00:00:00Z; may jump, also backwards. */
    long epochMicros();

    /** Nanoseconds of a clock that only moves forward; for measuring how long something took. */
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
