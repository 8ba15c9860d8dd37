package petrichor.cloud.simulated;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that is advanced by calls. Safe for any thread. */
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

    /** Does nothing if that moment has passed. */
    public synchronized void advanceTo(Instant moment) {
        if (moment.isAfter(now)) {
            now = moment;
        }
    }
}
