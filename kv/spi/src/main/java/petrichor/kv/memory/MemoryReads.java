package petrichor.kv.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.KeyTree;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Reads;
import petrichor.kv.Scan;
import petrichor.kv.StoreFailures;

/**
 * Reads the current value of {@code tables}. Returns copies, since the caller owns the result and
 * all views share the rows.
 *
 * @param frozenScans whether a scan reads the rows as they were when it started
 */
record MemoryReads(Supplier<Tables> tables, boolean frozenScans) implements Reads {

    @Override
    public byte @Nullable [] get(String table, byte[] key) {
        return value(tables.get().tree(table), key);
    }

    @Override
    public List<byte @Nullable []> get(String table, List<byte[]> keys) {
        KeyTree<byte[]> tree = tables.get().tree(table);
        List<byte @Nullable []> values = new ArrayList<>(keys.size());
        for (byte[] key : keys) {
            values.add(value(tree, key));
        }
        return values;
    }

    private static byte @Nullable [] value(@Nullable KeyTree<byte[]> tree, byte[] key) {
        KeyTree<byte[]> row = KeyTree.find(tree, key);
        return row == null ? null : row.value().clone();
    }

    @Override
    public Scan scan(String table, KeyRange range, Direction direction, int limit) {
        StoreFailures.requireLimit(limit);
        KeyTree<byte[]> now = tables.get().tree(table);
        return new MemoryScan(
                frozenScans ? () -> now : () -> tables.get().tree(table), range, direction, limit);
    }
}
