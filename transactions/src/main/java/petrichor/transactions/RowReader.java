package petrichor.transactions;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;

/**
 * Reads at one version: all writes of commits up to that version are visible, and none of later
 * ones. Keys are those of the database's own row space, without a prefix.
 */
public interface RowReader {
    /** The version being read, microseconds since 1970. */
    long version();

    @Nullable Row get(byte[] key);

    /** One result per key, in the order of the keys. */
    List<@Nullable Row> get(List<byte[]> keys);

    /** Rows of the range; the cursor holds resources until it is closed. */
    RowCursor scan(KeyRange range, Direction direction);
}
