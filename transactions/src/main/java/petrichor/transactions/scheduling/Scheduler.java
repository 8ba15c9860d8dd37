package petrichor.transactions.scheduling;

import java.time.Duration;

/**
 * Runs what the callers of a database do not run themselves. Databases start no threads, so that a
 * simulation can decide when everything happens. Work must not fail.
 */
public interface Scheduler {
    void run(Runnable task);

    void runLater(Runnable task, Duration delay);

    /** Ends waits whose time is over, which no other work may delay for long. */
    void runAtDeadline(Runnable end, Duration after);

    /** Runs the chore once per period until the result is closed. */
    Chore repeat(Runnable chore, Duration period);

    /** An event loop, which does its work while there is some. */
    EventLoop loop(String name, EventLoop.Work work);

    /** Something that is repeated; closing it waits for a run under way, for a few seconds. */
    interface Chore extends AutoCloseable {
        @Override
        void close();
    }
}
