package petrichor.server;

import java.util.logging.LogManager;

/**
 * Keeps the log's handlers until the process is gone. Java's own manager removes them in a shutdown
 * hook, beside the one that stops the server: what a stop logs would be lost. Takes effect when the
 * system property {@link #PROPERTY} names it before any class of java.util.logging is initialized;
 * that includes this one, so that it cannot set the property itself.
 */
public final class LastingLogs extends LogManager {
    /** A constant, which does not initialize the class that reads it. */
    public static final String PROPERTY = "java.util.logging.manager";

    /** Nothing; only the shutdown hook asks for it. */
    @Override
    public void reset() {}

    /** What {@link #reset} does elsewhere. */
    void clear() {
        super.reset();
    }
}
