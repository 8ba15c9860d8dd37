package petrichor.kv.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;

/**
 * The net changes of a batch in one table, independent of the order within the batch: first ranges
 * are deleted, then rows, then rows are put. No row occurs in two of these, as required by SQL's
 * upsert; rows are sorted by key, so that two batches do not deadlock on their locks.
 */
record TableChanges(String table, List<KeyRange> ranges, List<byte[]> deletes, List<Row> puts) {

    /** A row to be put. */
    record Row(byte[] key, byte[] value) {
        int bytes() {
            return key.length + value.length;
        }
    }

    /** By table, in the order of their names. */
    static List<TableChanges> of(WriteBatch batch) {
        Map<String, Gathering> tables = new TreeMap<>();
        for (WriteBatch.Op op : batch.ops()) {
            tables.computeIfAbsent(op.table(), _ -> new Gathering()).take(op);
        }
        List<TableChanges> changes = new ArrayList<>();
        tables.forEach((table, gathering) -> changes.add(gathering.changesOf(table)));
        return changes;
    }

    private static final class Gathering {
        private final List<KeyRange> ranges = new ArrayList<>();

        /** The last change of each key. */
        private final TreeMap<Bytes, WriteBatch.Op> rows = new TreeMap<>();

        void take(WriteBatch.Op op) {
            switch (op) {
                case WriteBatch.Put put -> rows.put(Bytes.of(put.key()), put);
                case WriteBatch.Delete delete -> rows.put(Bytes.of(delete.key()), delete);
                case WriteBatch.DeleteRange(String _, KeyRange range) -> {
                    ranges.add(range);
                    forget(range);
                }
            }
        }

        private void forget(KeyRange range) {
            byte[] to = range.to();
            Map<Bytes, WriteBatch.Op> covered = rows.tailMap(Bytes.of(range.from()), true);
            if (to != null) {
                covered = rows.subMap(Bytes.of(range.from()), Bytes.of(to));
            }
            covered.clear();
        }

        TableChanges changesOf(String table) {
            List<byte[]> deletes = new ArrayList<>();
            List<Row> puts = new ArrayList<>();
            for (WriteBatch.Op op : rows.values()) {
                switch (op) {
                    case WriteBatch.Put(String _, byte[] key, byte[] value) ->
                            puts.add(new Row(key, value));
                    case WriteBatch.Delete(String _, byte[] key) -> deletes.add(key);
                    case WriteBatch.DeleteRange _ ->
                            throw new IllegalStateException("a range among single rows");
                }
            }
            return new TableChanges(table, ranges, deletes, puts);
        }
    }
}
