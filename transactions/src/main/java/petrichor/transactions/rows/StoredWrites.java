package petrichor.transactions.rows;

/** Looks up in the store writes that the conflict window has evicted. */
public interface StoredWrites {
    /** The version of a write of this key after {@code version}; 0 if there was none. */
    long writeAfter(long version, byte[] key);
}
