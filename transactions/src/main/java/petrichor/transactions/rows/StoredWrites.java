package petrichor.transactions.rows;

/** What the store knows about writes that the window has forgotten. */
public interface StoredWrites {
    /** The version of a write of this key after {@code version}; 0 if there was none. */
    long writeAfter(long version, byte[] key);
}
