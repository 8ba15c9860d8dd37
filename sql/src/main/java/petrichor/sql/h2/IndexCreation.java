package petrichor.sql.h2;

/** How a schema change creates indexes on tables that have rows. */
public enum IndexCreation {
    /** With all entries, in the transaction of the schema change, which bounds their size. */
    IN_TRANSACTION,
    /** In the transaction if the table is small; otherwise the schema change is refused. */
    IF_SMALL,
    /** Without entries, not readable: they are added in later transactions. */
    ONLINE;

    /** Rows of a small table: building its index takes some milliseconds. */
    static final long SMALL_ROWS_MAX = 2_000;
}
