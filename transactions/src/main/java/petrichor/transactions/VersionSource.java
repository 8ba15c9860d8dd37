package petrichor.transactions;

/** Provides a follower with the version that it may read. Thread-safe. */
public interface VersionSource {
    /**
     * Queries the owner and waits for its answer, which the owner gave after this call began. Fails
     * with {@code UNAVAILABLE} if no owner can be found in time, and with {@link NotSequencedHere}
     * if this server has become the owner in the meantime, or if the owner must create the database
     * first.
     */
    SharedVersion newest();
}
