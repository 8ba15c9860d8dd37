package petrichor.transactions.rows;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Reads;
import petrichor.kv.Scan;

/**
 * Finds writes of a key in the store: the current row shows the newest one; a deleted row appears
 * only in its history.
 */
public final class StoredHistory implements StoredWrites {
    private final TableLayout layout;
    private final RowSource source;
    private final LongSupplier newestVersion;

    public StoredHistory(TableLayout layout, RowSource source, LongSupplier newestVersion) {
        this.layout = layout;
        this.source = source;
        this.newestVersion = newestVersion;
    }

    @Override
    public byte @Nullable [] newest(byte[] key) {
        byte[] value = source.rows().get(TableLayout.ROWS, layout.rowKey(key));
        return value == null ? null : TableLayout.payloadOf(value);
    }

    @Override
    public long writeAfter(long version, byte[] key) {
        byte[] value = source.rows().get(TableLayout.ROWS, layout.rowKey(key));
        if (value != null) {
            // In any case the current row is newer than that.
            long written = TableLayout.versionOf(value);
            return written > version ? written : 0;
        }
        int last = TableLayout.hourOf(newestVersion.getAsLong());
        Reads history = source.historyAfter(version);
        for (int hour = TableLayout.hourOf(version); hour <= last; hour++) {
            KeyRange after =
                    new KeyRange(
                            layout.historyKey(hour, key, version + 1),
                            layout.historyKey(hour, key, Long.MAX_VALUE));
            try (Scan scan = history.scan(TableLayout.HISTORY, after, Direction.FORWARD, 1)) {
                if (scan.next()) {
                    return TableLayout.supersededAt(scan.key());
                }
            }
        }
        return 0;
    }
}
