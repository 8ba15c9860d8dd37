package petrichor.testing.cluster;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Waiting between two attempts at something that cannot be waited for. */
final class Pause {
    private static final Duration BRIEF = Duration.ofMillis(20);

    private Pause() {}

    static void briefly() {
        of(BRIEF);
    }

    static void of(Duration time) {
        long until = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
