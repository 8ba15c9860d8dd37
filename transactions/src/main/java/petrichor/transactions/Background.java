package petrichor.transactions;

import java.time.Duration;

/**
 * Where work goes that nobody waits for. Whoever gives it away makes sure that it does not fail; a
 * simulation decides itself when it is done.
 */
public interface Background {
    void run(Runnable task);

    void runLater(Runnable task, Duration delay);
}
