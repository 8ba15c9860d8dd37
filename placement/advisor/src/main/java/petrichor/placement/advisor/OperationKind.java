package petrichor.placement.advisor;

import java.util.Locale;

/** What an operation does. */
public enum OperationKind {
    /** Reads tuples by key. */
    GET,
    /** Reads a range of keys. */
    RANGE,
    /** Reads by tags. */
    FIND,
    /** Writes and deletes tuples. */
    WRITE;

    /** A word for people. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
