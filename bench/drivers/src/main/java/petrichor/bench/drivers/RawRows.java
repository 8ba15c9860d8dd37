package petrichor.bench.drivers;

import org.jspecify.annotations.Nullable;

/**
 * Access to single rows through a store's bare driver, as shown in the driver's documentation: the
 * baseline for measuring the overhead of Petrichor. No tables, no order, no batches, no checks.
 *
 * <p>As durable and as consistent as a {@link petrichor.kv.KeyValueStore} over the same store, so
 * that the two can be compared. Separate from the rows of that store under the same name.
 * Thread-safe. Fails with unchecked exceptions, most of them the driver's.
 */
public interface RawRows extends AutoCloseable {
    byte @Nullable [] get(byte[] key);

    /** Durable when it returns. */
    void put(byte[] key, byte[] value);

    /** Removes all rows that were put. No other call may be running. */
    @Override
    void close();
}
