package petrichor.transactions.rows;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import petrichor.base.KeyTree;
import petrichor.kv.Reads;
import petrichor.kv.WriteBatch;

/**
 * Rows of commits that the store may not show yet, by table. Reads consult this first and then the
 * store: a row is removed only after the store shows it, so it is always in one of the two.
 *
 * <p>Any thread reads, from an immutable snapshot; changes are synchronized. Deleted ranges are not
 * kept: their rows are no longer read; history is kept in {@link RecentHistory}.
 */
public final class RecentRows {
    private final Object changing = new Object();
    // Shapes the trees only; their content does not depend on it.
    private final SplittableRandom priorities = new SplittableRandom(1);
    private volatile Map<String, @Nullable KeyTree<RecentRow>> trees = Map.of();

    public void add(WriteBatch batch, long version) {
        synchronized (changing) {
            Map<String, @Nullable KeyTree<RecentRow>> next = new HashMap<>(trees);
            for (WriteBatch.Op change : batch.ops()) {
                if (change.table().equals(TableLayout.HISTORY)) {
                    continue;
                }
                switch (change) {
                    case WriteBatch.Put(String table, byte[] key, byte[] value) ->
                            put(next, table, key, value, version);
                    case WriteBatch.Delete(String table, byte[] key) ->
                            put(next, table, key, null, version);
                    case WriteBatch.DeleteRange _ -> {}
                }
            }
            trees = next;
        }
    }

    private void put(
            Map<String, @Nullable KeyTree<RecentRow>> next,
            String table,
            byte[] key,
            byte @Nullable [] value,
            long version) {
        next.put(
                table,
                KeyTree.put(
                        next.get(table), key, new RecentRow(value, version), priorities.nextInt()));
    }

    /** Removes rows that the store now shows. Rows written again in the meantime stay. */
    public void remove(WriteBatch batch, long version) {
        synchronized (changing) {
            Map<String, @Nullable KeyTree<RecentRow>> next = new HashMap<>(trees);
            for (WriteBatch.Op change : batch.ops()) {
                switch (change) {
                    case WriteBatch.Put(String table, byte[] key, byte[] _) ->
                            next.put(table, RecentRow.remove(next.get(table), key, version));
                    case WriteBatch.Delete(String table, byte[] key) ->
                            next.put(table, RecentRow.remove(next.get(table), key, version));
                    case WriteBatch.DeleteRange _ -> {}
                }
            }
            trees = next;
        }
    }

    public void clear() {
        synchronized (changing) {
            trees = Map.of();
        }
    }

    @Nullable KeyTree<RecentRow> tree(String table) {
        return trees.get(table);
    }

    /** Overlays these rows on those of the store. */
    public Reads over(Reads store) {
        return new LayeredReads(this::tree, store);
    }
}
