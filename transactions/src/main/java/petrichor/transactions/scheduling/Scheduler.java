package petrichor.transactions.scheduling;

import java.time.Duration;

/**
 * Runs background work of databases. Databases start no threads, so that a simulation controls when
 * everything happens. Work must not fail.
 */
public interface Scheduler {
    void run(Runnable task);

    void runLater(Runnable task, Duration delay);

    /** Ends waits at their deadline, which no other work may delay for long. */
    void runAtDeadline(Runnable end, Duration after);

    /** Runs the chore once per period until the result is closed. */
    Chore repeat(Runnable chore, Duration period);

    /** An event loop that runs while work is queued. */
    EventLoop loop(String name, EventLoop.Work work);

    /** A periodic task; closing it waits a few seconds for a run in progress. */
    interface Chore extends AutoCloseable {
        @Override
        void close();
    }
}
