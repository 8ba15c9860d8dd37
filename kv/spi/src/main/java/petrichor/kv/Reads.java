package petrichor.kv;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reading rows, from the store as it is now or from a {@link StoreView}. Safe for any thread. A
 * table that was never created is an error ({@code NOT_FOUND}); a row that does not exist is {@code
 * null}.
 */
public interface Reads {
    byte @Nullable [] get(String table, byte[] key);

    /** As many results as keys, in their order. */
    List<byte @Nullable []> get(String table, List<byte[]> keys);

    /**
     * @param limit most rows to return; {@link Integer#MAX_VALUE} for all
     */
    Scan scan(String table, KeyRange range, Direction direction, int limit);
}
