package petrichor.transactions;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;

/**
 * Reads at one version: every commit at or before it is completely visible, none after it. Keys are
 * those of the database's own row space, without any prefix.
 */
public interface RowReader {
    /** The version that is read, microseconds since 1970. */
    long version();

    @Nullable Row get(byte[] key);

    /** As many results as keys, in their order. */
    List<@Nullable Row> get(List<byte[]> keys);

    /** Rows of the range; the cursor holds resources until it is closed. */
    RowCursor scan(KeyRange range, Direction direction);
}
