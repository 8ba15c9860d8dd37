package petrichor.rpc;

/** The server that owns a database, as far as this server knows. */
public sealed interface Owner {
    /** This server holds the database's lease. */
    record Here(long epoch) implements Owner {}

    /**
     * Another server holds the lease, or should claim it.
     *
     * @param epoch of its lease; 0 if it has yet to claim it
     */
    record There(Peer peer, long epoch) implements Owner {}
}
