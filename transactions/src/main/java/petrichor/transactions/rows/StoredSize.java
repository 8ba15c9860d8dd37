package petrichor.transactions.rows;

import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Reads;
import petrichor.kv.Scan;

/**
 * What a database stores itself: its rows and their history, without what a branch shares.
 *
 * @param complete whether everything was counted
 */
public record StoredSize(long rows, long bytes, boolean complete) {
    /**
     * Counts up to so many rows.
     *
     * @param number of the database in the store
     */
    public static StoredSize of(Reads store, int number, int rowsMax) {
        TableLayout layout = new TableLayout(number);
        StoredSize current = count(store, TableLayout.ROWS, layout.allRows(), rowsMax);
        StoredSize past =
                count(
                        store,
                        TableLayout.HISTORY,
                        layout.allHistory(),
                        Math.toIntExact(rowsMax - current.rows));
        return new StoredSize(
                current.rows + past.rows,
                current.bytes + past.bytes,
                current.complete && past.complete);
    }

    private static StoredSize count(Reads store, String table, KeyRange range, int rowsMax) {
        long rows = 0;
        long bytes = 0;
        try (Scan scan = store.scan(table, range, Direction.FORWARD, Integer.MAX_VALUE)) {
            while (scan.next()) {
                if (rows == rowsMax) {
                    return new StoredSize(rows, bytes, false);
                }
                rows++;
                bytes += scan.key().length + scan.value().length;
            }
        }
        return new StoredSize(rows, bytes, true);
    }
}
