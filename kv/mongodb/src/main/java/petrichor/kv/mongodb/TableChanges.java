package petrichor.kv.mongodb;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;

/**
 * The net changes of a batch in one table: these ranges are deleted first, then each of these rows
 * is put, or deleted if it has no value. Equivalent to the batch in its order: keeps the last of
 * several changes to a key, and drops a row that a later range deletion covers.
 */
record TableChanges(String table, List<KeyRange> ranges, Map<Bytes, byte @Nullable []> rows) {

    static Collection<TableChanges> of(WriteBatch batch) {
        Map<String, TableChanges> tables = new LinkedHashMap<>();
        for (WriteBatch.Op op : batch.ops()) {
            TableChanges changes =
                    tables.computeIfAbsent(
                            op.table(),
                            table ->
                                    new TableChanges(
                                            table, new ArrayList<>(), new LinkedHashMap<>()));
            switch (op) {
                case WriteBatch.Put(String _, byte[] key, byte[] value) ->
                        changes.rows.put(Bytes.of(key), value);
                case WriteBatch.Delete(String _, byte[] key) ->
                        changes.rows.put(Bytes.of(key), null);
                case WriteBatch.DeleteRange(String _, KeyRange range) -> {
                    changes.rows.keySet().removeIf(key -> range.contains(key.array()));
                    changes.ranges.add(range);
                }
            }
        }
        return tables.values();
    }
}
