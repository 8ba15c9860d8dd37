package petrichor.transactions.rows;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import petrichor.base.KeyTree;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Reads;
import petrichor.kv.Scan;

/**
 * Overlays rows in memory on those of a store, or serves them without a store. Rows and deletions
 * in memory take precedence. Memory is read first: a row moves from memory to the store, never
 * back.
 *
 * @param above the rows in memory at the time of the call, by table
 */
record LayeredReads(Function<String, @Nullable KeyTree<RecentRow>> above, @Nullable Reads store)
        implements Reads {

    @Override
    public byte @Nullable [] get(String table, byte[] key) {
        KeyTree<RecentRow> row = KeyTree.find(above.apply(table), key);
        if (row != null) {
            return row.value().value();
        }
        return store == null ? null : store.get(table, key);
    }

    @Override
    public List<byte @Nullable []> get(String table, List<byte[]> keys) {
        KeyTree<RecentRow> tree = above.apply(table);
        if (tree == null && store != null) {
            return store.get(table, keys);
        }
        List<byte @Nullable []> values = new ArrayList<>(keys.size());
        List<byte[]> missing = new ArrayList<>();
        List<Integer> places = new ArrayList<>();
        for (byte[] key : keys) {
            KeyTree<RecentRow> row = KeyTree.find(tree, key);
            if (row == null) {
                missing.add(key);
                places.add(values.size());
            }
            values.add(row == null ? null : row.value().value());
        }
        if (store != null && !missing.isEmpty()) {
            List<byte @Nullable []> found = store.get(table, missing);
            for (int i = 0; i < places.size(); i++) {
                values.set(places.get(i), found.get(i));
            }
        }
        return values;
    }

    @Override
    public Scan scan(String table, KeyRange range, Direction direction, int limit) {
        // First the state of memory, then the store.
        KeyTree<RecentRow> tree = above.apply(table);
        if (store != null && (tree == null || LayeredScan.step(tree, range, direction) == null)) {
            return store.scan(table, range, direction, limit);
        }
        return new LayeredScan(tree, store, table, range, direction, limit);
    }
}
