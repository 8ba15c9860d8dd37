package petrichor.transactions;

import java.time.Duration;

/**
 * Runs work that no caller waits for. The work must not fail; a simulation decides when it runs.
 */
public interface Background {
    void run(Runnable task);

    void runLater(Runnable task, Duration delay);
}
