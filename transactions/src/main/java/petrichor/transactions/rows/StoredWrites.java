package petrichor.transactions.rows;

import org.jspecify.annotations.Nullable;

/** Looks up rows in the store, and writes that the conflict window has evicted. */
public interface StoredWrites {
    /** The version of a write of this key after {@code version}; 0 if there was none. */
    long writeAfter(long version, byte[] key);

    /** The content of the newest durable row of this key; null if there is none. */
    default byte @Nullable [] newest(byte[] key) {
        return null;
    }
}
