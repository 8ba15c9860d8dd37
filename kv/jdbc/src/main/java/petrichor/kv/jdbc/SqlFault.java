package petrichor.kv.jdbc;

/** What a server's error means to us. */
enum SqlFault {
    /** No server responds, or the node does not serve: another connection may succeed. */
    AWAY,
    /** The time was over; the server may still have done it. */
    LATE,
    /** The whole transaction was rolled back in favour of another one; it may be retried. */
    ROLLED_BACK,
    /** Taken back: the fence is not the one that was named. */
    FENCED,
    /** Taken back: the table does not exist. */
    NO_TABLE,
    /** Taken back: no room on the disk, no memory, no connection left. */
    FULL,
    /** The server takes no writes. */
    READ_ONLY,
    /** Name or password are wrong. */
    LOGIN,
    /** The user may not do this. */
    DENIED,
    /** The database that was named does not exist. */
    NO_DATABASE,
    /** Anything else: a defect, ours or theirs. */
    OTHER
}
