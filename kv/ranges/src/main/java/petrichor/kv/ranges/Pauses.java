package petrichor.kv.ranges;

import java.time.Duration;

/** Waiting, so that a simulation can decide how long it takes. */
public interface Pauses {
    void pause(Duration duration);

    /** An interrupt does not shorten the wait, but is kept. */
    static void real(Duration duration) {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
