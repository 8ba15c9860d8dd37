package petrichor.server.logs;

import java.util.logging.LogManager;

/**
 * Keeps the log's handlers until the process exits. Java's own log manager removes them in a
 * shutdown hook that runs concurrently with the one that stops the server, so that log lines of the
 * shutdown would be lost. Takes effect only if the system property {@link #PROPERTY} names this
 * class before any class of java.util.logging is initialized. Since this class extends one of them,
 * it cannot set the property itself.
 */
public final class PersistentLogHandlers extends LogManager {
    /** A compile-time constant: reading it does not initialize this class. */
    public static final String PROPERTY = "java.util.logging.manager";

    /** Does nothing, because only the shutdown hook calls it. */
    @Override
    public void reset() {}

    /** Does what {@link #reset} does in other log managers. */
    void clear() {
        super.reset();
    }
}
