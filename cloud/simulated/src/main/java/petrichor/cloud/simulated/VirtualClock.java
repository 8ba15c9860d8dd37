package petrichor.cloud.simulated;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that is advanced by calls. Thread-safe. */
public final class VirtualClock implements InstantSource {
    private Instant now;

    public VirtualClock(Instant begin) {
        now = begin;
    }

    @Override
    public synchronized Instant instant() {
        return now;
    }

    public synchronized void advance(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("time does not go back: " + time);
        }
        now = now.plus(time);
    }

    /** Has no effect if that time has passed. */
    public synchronized void advanceTo(Instant moment) {
        if (moment.isAfter(now)) {
            now = moment;
        }
    }
}
