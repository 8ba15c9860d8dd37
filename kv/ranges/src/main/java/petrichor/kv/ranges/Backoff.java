package petrichor.kv.ranges;

import java.time.Duration;

/** Waits, so that a simulation controls their duration. */
public interface Backoff {
    void pause(Duration duration);

    /** An interrupt does not shorten the wait; the interrupt status is preserved. */
    static void real(Duration duration) {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
