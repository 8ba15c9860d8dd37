package petrichor.transactions;

/** Outcome of {@link Transaction#lock}. */
public enum LockResult {
    /** The row is locked until the transaction ends. */
    LOCKED,

    /** The wait reached its limit, or its caller cancelled it; the row is not locked. */
    NOT_AVAILABLE,

    /** The wait would have closed a cycle of transactions that wait for each other. */
    DEADLOCK,

    /** The transaction ended while it waited: it expired, or its database left this server. */
    ENDED
}
