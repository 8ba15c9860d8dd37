package petrichor.transactions.databases;

import org.jspecify.annotations.Nullable;
import petrichor.transactions.rows.ParentRows;

/** Knows from which databases branches read. Thread-safe. */
@FunctionalInterface
public interface Lineage {
    /** Of databases that are not branches. */
    Lineage NONE = (_, _) -> null;

    /**
     * What a database shares with its parent; null if it is not a branch. UNAVAILABLE if the
     * database no longer has this number.
     */
    @Nullable ParentRows of(String database, int number);
}
