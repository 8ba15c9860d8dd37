package petrichor.kv.ranges;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import petrichor.kv.StoreFailures;

/**
 * The directory as this process knows it. What it knows may be old: partitions say themselves that
 * they have been replaced, and then the lines are read again. Safe for any thread.
 */
final class RangeDirectory {
    private final PartitionedRows rows;
    private final ConcurrentHashMap<String, RangeMap> known = new ConcurrentHashMap<>();

    RangeDirectory(PartitionedRows rows) {
        this.rows = rows;
    }

    /** NOT_FOUND if there is no such table. */
    RangeMap of(String table) {
        RangeMap map = known.get(table);
        return map != null ? map : refreshed(table);
    }

    /** As it is now: read from the store. */
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
