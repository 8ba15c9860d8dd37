package petrichor.server.metrics;

import java.util.Locale;

/** What is asked of a store, as the label {@code operation} names it. */
enum StoreOperation {
    /** One row or several rows by their keys. */
    GET,
    /** From the request for a range until its first row, or its end. */
    SCAN,
    /** A durable write without a condition. */
    WRITE,
    /** A group of commits behind a fence. */
    COMMIT,
    PUT_IF_ABSENT,
    PUT_IF_NEWER,
    /** A plain append to the log with the read that checks it. */
    APPEND,
    TAKE_FENCE,
    /** Tables listed, created or dropped. */
    TABLES,
    /** The read by which {@link StoreProbe} finds out whether the store answers. */
    PROBE;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
