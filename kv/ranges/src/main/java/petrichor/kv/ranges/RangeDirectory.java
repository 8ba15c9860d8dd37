package petrichor.kv.ranges;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import petrichor.kv.StoreFailures;

/**
 * Cache of the directory in this process. It may be stale: partitions report that they have been
 * replaced, and then the entries are read again. Thread-safe.
 */
final class RangeDirectory {
    private final PartitionedRows rows;
    private final ConcurrentHashMap<String, RangeMap> known = new ConcurrentHashMap<>();

    RangeDirectory(PartitionedRows rows) {
        this.rows = rows;
    }

    /** NOT_FOUND if the table does not exist. */
    RangeMap of(String table) {
        RangeMap map = known.get(table);
        return map != null ? map : refreshed(table);
    }

    /** The current entries, read from the store. */
    RangeMap refreshed(String table) {
        StoreFailures.requireTableName(table);
        List<RangeEntry> lines = rows.directory(table);
        if (lines.isEmpty()) {
            known.remove(table);
            throw StoreFailures.noSuchTable(table);
        }
        RangeMap map = new RangeMap(lines);
        known.put(table, map);
        return map;
    }

    void forget(String table) {
        known.remove(table);
    }
}
