package petrichor.kv;

import org.jspecify.annotations.Nullable;

/**
 * Single rows by a store's bare driver, in the way that the driver's documentation shows: what
 * Petrichor costs over a store is measured against it. No tables, no order, no batches, no checks.
 *
 * <p>As durable and as consistent as {@link KeyValueStore} over the same store, so that the two can
 * be compared. Lies apart from the rows of {@link KeyValueStore} under the same name. Safe for any
 * thread.
 */
public interface RawRows extends AutoCloseable {
    byte @Nullable [] get(byte[] key);

    /** Durable when it returns. */
    void put(byte[] key, byte[] value);

    /** Removes all that was put. */
    @Override
    void close();
}
