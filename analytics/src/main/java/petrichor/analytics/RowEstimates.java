package petrichor.analytics;

import java.util.LinkedHashMap;
import java.util.Map;
import petrichor.kv.Direction;
import petrichor.transactions.Database;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;

/** Numbers of rows, counted up to a limit and at most once a minute per table. Thread-safe. */
final class RowEstimates {
    private static final int TABLES_MAX = 10_000;
    private static final long AGE_MICROS_MAX = 60_000_000;

    private final long rowsMax;

    private record Counted(long version, long rows) {}

    private final Map<String, Counted> counted =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Counted> eldest) {
                    return size() > TABLES_MAX;
                }
            };

    RowEstimates(long rowsMax) {
        this.rowsMax = rowsMax;
    }

    long rows(Database database, long version, SegmentSource source) {
        String key = database.name() + ' ' + source.id();
        synchronized (counted) {
            Counted known = counted.get(key);
            if (known != null && Math.abs(version - known.version) < AGE_MICROS_MAX) {
                return known.rows;
            }
        }
        long rows = 0;
        try (Snapshot snapshot = database.snapshotAt(version);
                RowCursor cursor = snapshot.scan(source.rows(), Direction.FORWARD)) {
            while (rows < rowsMax && cursor.next()) {
                rows++;
            }
        }
        synchronized (counted) {
            counted.put(key, new Counted(version, rows));
        }
        return rows;
    }
}
