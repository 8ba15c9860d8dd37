package petrichor.server.metrics;

import java.util.Locale;

/** An operation of a store, with its value of the label {@code operation}. */
enum StoreOperation {
    /** Reads one or several rows by key. */
    GET,
    /** A range read until its first row or its end. */
    SCAN,
    /** A durable, unconditional write. */
    WRITE,
    /** A group commit, guarded by a fence. */
    COMMIT,
    PUT_IF_ABSENT,
    PUT_IF_NEWER,
    /** A plain append to the log, with the read that verifies it. */
    APPEND,
    TAKE_FENCE,
    /** Lists, creates or drops tables. */
    TABLES,
    /** The read with which {@link StoreProbe} checks whether the store answers. */
    PROBE;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
