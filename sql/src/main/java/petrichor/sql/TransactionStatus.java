package petrichor.sql;

/** Of a session, as PostgreSQL reports it when it is ready for a query: I, T, E. */
public enum TransactionStatus {
    IDLE,
    ACTIVE,
    /** A statement failed: every further one fails with 25P02 until ROLLBACK. */
    FAILED
}
