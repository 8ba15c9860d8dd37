package petrichor.transactions;

/** Where a follower asks which version it may read. Safe for any thread. */
public interface VersionSource {
    /**
     * Asks the owner and waits for its answer, which it gave after this call began. Fails with
     * {@code UNAVAILABLE} when no owner can be found in time, and with {@link NotSequencedHere}
     * when this server has become the owner meanwhile, or the owner must make the database first.
     */
    SharedVersion newest();
}
