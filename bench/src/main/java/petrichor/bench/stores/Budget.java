package petrichor.bench.stores;

import java.time.Duration;

/**
 * Shares out the time of a run among what is still to be measured: where what is asked for does not
 * fit any more, everything left is shortened alike. Belongs to one thread.
 */
final class Budget {
    /** Less than this says nothing; a run that is late goes over its time by so much a point. */
    static final Duration POINT_MIN = Duration.ofMillis(50);

    private final long deadlineNanos;
    private double neededNanos;
    private boolean shortened;

    /**
     * @param needed all that {@link #next} will be asked for, together
     */
    Budget(Duration total, Duration needed) {
        this.deadlineNanos = System.nanoTime() + total.toNanos();
        this.neededNanos = needed.toNanos();
    }

    Duration left() {
        return Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime()));
    }

    /** How long something may take that would like to take {@code asked}. */
    Duration next(Duration asked) {
        double scale = neededNanos <= 0 ? 1 : Math.min(1, left().toNanos() / neededNanos);
        neededNanos -= asked.toNanos();
        if (scale >= 1) {
            return asked;
        }
        shortened = true;
        Duration fair = Duration.ofNanos((long) (asked.toNanos() * scale));
        return fair.compareTo(POINT_MIN) > 0 ? fair : POINT_MIN;
    }

    /** Whether something got less than was asked for. */
    boolean shortened() {
        return shortened;
    }
}
