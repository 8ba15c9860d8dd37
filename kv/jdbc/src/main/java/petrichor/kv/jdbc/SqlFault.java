package petrichor.kv.jdbc;

/** Classification of a server's error. */
enum SqlFault {
    /** No server responds, or the node does not serve: another connection may succeed. */
    UNREACHABLE,
    /** The timeout passed; the server may still have executed the statement. */
    TIMEOUT,
    /** The whole transaction was rolled back in favour of another one; it may be retried. */
    ROLLED_BACK,
    /** Rolled back: the fence does not match. */
    FENCED,
    /** Rolled back: the table does not exist. */
    NO_TABLE,
    /** Rolled back: out of disk space, memory or connections. */
    FULL,
    /** The server accepts no writes. */
    READ_ONLY,
    /** The user name or password is wrong. */
    AUTH_FAILED,
    /** The user lacks a privilege. */
    DENIED,
    /** The named database does not exist. */
    NO_DATABASE,
    /** Anything else: a defect, in Petrichor or in the server. */
    OTHER
}
