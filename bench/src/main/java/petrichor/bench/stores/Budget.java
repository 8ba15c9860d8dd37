package petrichor.bench.stores;

import java.time.Duration;

/**
 * Distributes the time of a run over the remaining measurements: when the requested times no longer
 * fit, all remaining ones are shortened in proportion. Belongs to one thread.
 */
final class Budget {
    /**
     * A shorter measurement is meaningless; a late run exceeds its time by up to this much per
     * point.
     */
    static final Duration POINT_MIN = Duration.ofMillis(50);

    private final long deadlineNanos;
    private double neededNanos;
    private boolean shortened;

    /**
     * @param needed sum of all requests to {@link #next}
     */
    Budget(Duration total, Duration needed) {
        this.deadlineNanos = System.nanoTime() + total.toNanos();
        this.neededNanos = needed.toNanos();
    }

    Duration left() {
        return Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime()));
    }

    /** The time granted for a measurement that requests {@code asked}. */
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

    /** Whether any request was shortened. */
    boolean shortened() {
        return shortened;
    }
}
