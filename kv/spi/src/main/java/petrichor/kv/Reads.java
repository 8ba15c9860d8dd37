package petrichor.kv;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows, from the current state of a store or from a {@link StoreView}. Thread-safe. Reading a
 * table that was never created is an error ({@code NOT_FOUND}); a row that does not exist is {@code
 * null}.
 */
public interface Reads {
    byte @Nullable [] get(String table, byte[] key);

    /** One result per key, in the order of the keys. */
    List<byte @Nullable []> get(String table, List<byte[]> keys);

    /**
     * @param limit maximum number of rows; {@link Integer#MAX_VALUE} for all
     */
    Scan scan(String table, KeyRange range, Direction direction, int limit);
}
