package petrichor.jobs.engine.workers;

import java.io.InputStream;
import java.io.OutputStream;

/**
 * The connection to a worker process, wherever it runs. Safe for all threads; its streams have one
 * reader and one writer at a time.
 */
public interface WorkerLink extends AutoCloseable {
    /** Messages from the worker; ends with the process. */
    InputStream from();

    /** Messages to the worker. */
    OutputStream to();

    long pid();

    /** Whether the process may still be running. */
    boolean isAlive();

    /**
     * Whether its end was announced in advance, for example a reclaimed spot machine: then its end
     * says nothing about the job, and does not count as a failed attempt.
     */
    default boolean isLeaving() {
        return false;
    }

    /** How it ended, as text. */
    String ending();

    /** Ends the process without waiting for it. */
    void abandon();

    /** Ends the process, which has no state to save, and waits for its end for at most 10 s. */
    @Override
    void close();
}
