package petrichor.kv.memory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import petrichor.base.Bytes;
import petrichor.base.KeyTree;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;

/**
 * The versions with which rows were put and deleted, for {@code putIfNewer}. Deleted rows keep
 * theirs, or a late older put would restore them; so this only grows, which is acceptable for tests
 * but not for a server. Guarded by the store's lock.
 */
final class RowVersions {
    private record DeletedRange(KeyRange range, long version) {}

    private final Map<String, Map<Bytes, Long>> rows = new HashMap<>();
    private final Map<String, List<DeletedRange>> deletedRanges = new HashMap<>();

    /**
     * Filters changes that are older than the existing row, and records the versions of the others.
     */
    List<WriteBatch.Op> admit(WriteBatch batch, long version, Tables before) {
        for (WriteBatch.Op op : batch.ops()) {
            before.tree(op.table());
        }
        List<WriteBatch.Op> admitted = new ArrayList<>();
        for (WriteBatch.Op op : batch.ops()) {
            switch (op) {
                case WriteBatch.Put put -> {
                    if (note(put.table(), put.key(), version)) {
                        admitted.add(put);
                    }
                }
                case WriteBatch.Delete delete -> {
                    if (note(delete.table(), delete.key(), version)) {
                        admitted.add(delete);
                    }
                }
                case WriteBatch.DeleteRange delete -> {
                    admitted.addAll(admitRange(delete, version, before, admitted));
                }
            }
        }
        return admitted;
    }

    private boolean note(String table, byte[] key, long version) {
        if (versionOf(table, key) > version) {
            return false;
        }
        rows.computeIfAbsent(table, _ -> new HashMap<>()).put(Bytes.of(key), version);
        return true;
    }

    private long versionOf(String table, byte[] key) {
        long newest =
                rows.getOrDefault(table, Map.of()).getOrDefault(Bytes.of(key), Long.MIN_VALUE);
        for (DeletedRange deleted : deletedRanges.getOrDefault(table, List.of())) {
            if (deleted.range.contains(key)) {
                newest = Math.max(newest, deleted.version);
            }
        }
        return newest;
    }

    /** Deletes each row in the range, of the table or of this batch, that is not newer. */
    private List<WriteBatch.Op> admitRange(
            WriteBatch.DeleteRange delete,
            long version,
            Tables before,
            List<WriteBatch.Op> admittedBefore) {
        List<byte[]> keys = new ArrayList<>();
        KeyTree<byte[]> tree = before.tree(delete.table());
        KeyRange range = delete.range();
        for (KeyTree<byte[]> row = KeyTree.ceiling(tree, range.from());
                row != null && range.contains(row.key());
                row = KeyTree.ceiling(tree, Bytes.successor(row.key()))) {
            keys.add(row.key());
        }
        for (WriteBatch.Op op : admittedBefore) {
            if (op instanceof WriteBatch.Put(String table, byte[] key, byte[] _)
                    && table.equals(delete.table())
                    && range.contains(key)) {
                keys.add(key);
            }
        }
        List<WriteBatch.Op> deletes = new ArrayList<>();
        for (byte[] key : keys) {
            if (versionOf(delete.table(), key) <= version) {
                deletes.add(new WriteBatch.Delete(delete.table(), key));
            }
        }
        deletedRanges
                .computeIfAbsent(delete.table(), _ -> new ArrayList<>())
                .add(new DeletedRange(range, version));
        return deletes;
    }

    void forget(String table) {
        rows.remove(table);
        deletedRanges.remove(table);
    }

    void takeFrom(RowVersions other) {
        rows.putAll(other.rows);
        deletedRanges.putAll(other.deletedRanges);
    }
}
