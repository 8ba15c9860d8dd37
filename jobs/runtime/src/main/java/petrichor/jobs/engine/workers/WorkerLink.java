package petrichor.jobs.engine.workers;

import java.io.InputStream;
import java.io.OutputStream;

/**
 * A worker process as its coordinator reaches it, wherever it runs. Safe for all threads; its
 * streams are read by one and written by one at a time.
 */
public interface WorkerLink extends AutoCloseable {
    /** What the worker says; ends when it does. */
    InputStream from();

    /** What the worker is told. */
    OutputStream to();

    long pid();

    /** Whether there may be something of the process that still works. */
    boolean isAlive();

    /**
     * Whether it was known that the process would have to go, wherever it runs: then its end says
     * nothing about the job, and is not counted against it.
     */
    default boolean isLeaving() {
        return false;
    }

    /** How it ended, in words. */
    String ending();

    /** Lets the process end, without waiting for it. */
    void abandon();

    /** Ends the process, which has nothing to save, and waits for that, 10 s at most. */
    @Override
    void close();
}
