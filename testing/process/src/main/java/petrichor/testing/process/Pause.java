package petrichor.testing.process;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Pauses between attempts, for conditions that cannot be awaited otherwise. Preserves interrupts.
 */
public final class Pause {
    private static final Duration BRIEF = Duration.ofMillis(20);

    private Pause() {}

    public static void briefly() {
        of(BRIEF);
    }

    public static void of(Duration time) {
        long until = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
