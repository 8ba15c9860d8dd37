package petrichor.kv.memory;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.StoreFailures;
import petrichor.kv.StoreView;

/**
 * A kept reference: retains the rows that were overwritten since, until the garbage collector frees
 * them after closing.
 */
final class MemoryView implements StoreView {
    private final MemoryReads reads = new MemoryReads(this::openTables, true);
    private volatile @Nullable Tables tables;

    MemoryView(Tables tables) {
        this.tables = tables;
    }

    @Override
    public byte @Nullable [] get(String table, byte[] key) {
        return reads.get(table, key);
    }

    @Override
    public List<byte @Nullable []> get(String table, List<byte[]> keys) {
        return reads.get(table, keys);
    }

    @Override
    public Scan scan(String table, KeyRange range, Direction direction, int limit) {
        return reads.scan(table, range, direction, limit);
    }

    @Override
    public void close() {
        tables = null;
    }

    private Tables openTables() {
        Tables frozen = tables;
        if (frozen == null) {
            throw StoreFailures.closed();
        }
        return frozen;
    }
}
