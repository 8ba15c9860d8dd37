package petrichor.transactions.rows;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Reads;
import petrichor.kv.Scan;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;

/**
 * MVCC reads of a database at one version. If the source is a view of exactly that version, rows
 * are read directly. Otherwise a row is valid if it is not newer than the version; if it is newer
 * or missing, its history has the earlier row. Rows are read before their history: a concurrent
 * commit moves a row's old value to history, never the other way. A branch reads what it does not
 * store from its parent.
 *
 * <p>Thread-safe; its cursors are confined to one thread.
 */
public final class VersionReader {
    private final TableLayout layout;
    private final ReadPoint point;
    private final RowSource source;
    private final long version;
    private final boolean exact;
    private final @Nullable CachedRows cached;
    private final ReadPermits permits = ReadPermits.OF_PROCESS;
    private final LongSupplier newestVersion;
    private final @Nullable ParentRows parent;

    /**
     * @param newestVersion the highest version that history may contain now
     * @param cached of the owner of the database; null for readers on other servers
     * @param parent what a branch shares with its parent; null if the database is not a branch
     */
    public VersionReader(
            TableLayout layout,
            ReadPoint point,
            LongSupplier newestVersion,
            @Nullable CachedRows cached,
            @Nullable ParentRows parent) {
        this.layout = layout;
        this.point = point;
        this.source = point.source();
        this.version = point.version();
        this.exact = point.exact();
        this.newestVersion = newestVersion;
        this.cached = cached;
        this.parent = parent == null ? null : parent.at(point.version());
    }

    public long version() {
        return version;
    }

    public @Nullable Row get(byte[] key) {
        byte[] rowKey = layout.rowKey(key);
        enter();
        try {
            CachedRow known = cached == null ? null : cached.find(Bytes.of(rowKey), version);
            return known == null ? read(key, rowKey) : row(key, known);
        } finally {
            point.leave();
        }
    }

    private @Nullable Row read(byte[] key, byte[] rowKey) {
        permits.acquire(1);
        try {
            Row own = resolve(key, source.rows().get(TableLayout.ROWS, rowKey));
            return found(rowKey, parent == null ? own : below(parent, key, own));
        } finally {
            permits.release(1);
        }
    }

    public List<@Nullable Row> get(List<byte[]> keys) {
        List<@Nullable Row> rows = new ArrayList<>(keys.size());
        List<byte[]> missing = new ArrayList<>();
        List<Integer> places = new ArrayList<>();
        enter();
        try {
            for (byte[] key : keys) {
                byte[] rowKey = layout.rowKey(key);
                CachedRow known = cached == null ? null : cached.find(Bytes.of(rowKey), version);
                if (known == null) {
                    places.add(rows.size());
                    missing.add(rowKey);
                }
                rows.add(known == null ? null : row(key, known));
            }
            long bytes = 0;
            for (int from = 0; from < missing.size(); ) {
                int to = Math.min(missing.size(), from + rowsAtOnce(from, bytes));
                List<byte @Nullable []> values = read(missing.subList(from, to));
                List<@Nullable Row> some =
                        resolve(places.subList(from, to).stream().map(keys::get).toList(), values);
                for (int i = from; i < to; i++) {
                    Row row = found(missing.get(i), some.get(i - from));
                    bytes += row == null ? 0 : row.value().length;
                    rows.set(places.get(i), row);
                }
                from = to;
            }
            return rows;
        } finally {
            point.leave();
        }
    }

    /**
     * Enough rows that, at the sizes seen so far, they take no more memory than the first ones
     * might.
     */
    private static int rowsAtOnce(int read, long bytes) {
        if (read == 0) {
            return ReadPermits.ROWS_AT_ONCE;
        }
        long average = Math.max(1, bytes / read);
        long most = ReadPermits.ROWS_AT_ONCE * ReadPermits.ROW_BYTES_MAX / average;
        return Math.clamp(most, ReadPermits.ROWS_AT_ONCE, Integer.MAX_VALUE / 2);
    }

    private List<byte @Nullable []> read(List<byte[]> rowKeys) {
        int count = Math.min(rowKeys.size(), ReadPermits.ROWS_AT_ONCE);
        permits.acquire(count);
        try {
            return source.rows().get(TableLayout.ROWS, rowKeys);
        } finally {
            permits.release(count);
        }
    }

    private static @Nullable Row row(byte[] key, CachedRow cached) {
        return cached.value == null ? null : new Row(key, cached.version, cached.value);
    }

    private static @Nullable Row below(ParentRows parent, byte[] key, @Nullable Row own) {
        return own == null ? parent.get(key) : Shadows.decode(own);
    }

    private List<@Nullable Row> resolve(List<byte[]> keys, List<byte @Nullable []> values) {
        List<@Nullable Row> own = new ArrayList<>(keys.size());
        for (int i = 0; i < keys.size(); i++) {
            own.add(resolve(keys.get(i), values.get(i)));
        }
        return parent == null ? own : parent.below(keys, own);
    }

    /** A row that was read, which the cache keeps. */
    private @Nullable Row found(byte[] rowKey, @Nullable Row row) {
        if (cached != null) {
            cached.read(Bytes.of(rowKey), row, version);
        }
        return row;
    }

    /** A view must not be closed during a read: each read counts as a reader. */
    private void enter() {
        if (!point.enter()) {
            throw PetrichorException.of(
                    ErrorCode.ABORTED,
                    "The snapshot is closed: the transaction has expired or has ended. Begin a new"
                            + " transaction.");
        }
    }

    private @Nullable Row resolve(byte[] key, byte @Nullable [] value) {
        if (value != null && (exact || TableLayout.versionOf(value) <= version)) {
            return TableLayout.row(key, value);
        }
        return exact ? null : fromHistory(key);
    }

    private @Nullable Row fromHistory(byte[] key) {
        int last = TableLayout.hourOf(newestVersion.getAsLong());
        Reads history = source.historyAfter(version);
        for (int hour = TableLayout.hourOf(version); hour <= last; hour++) {
            KeyRange after =
                    new KeyRange(
                            layout.historyKey(hour, key, version + 1),
                            layout.historyKey(hour, key, Long.MAX_VALUE));
            try (Scan scan = history.scan(TableLayout.HISTORY, after, Direction.FORWARD, 1)) {
                if (scan.next()) {
                    Row prior = TableLayout.row(key, scan.value());
                    // Newer than our version as well: it was created later.
                    return prior.version() <= version ? prior : null;
                }
            }
        }
        return null;
    }

    public RowCursor scan(KeyRange range, Direction direction) {
        RowCursor own = ownRows(range, direction);
        if (parent == null) {
            return own;
        }
        try {
            return new BranchCursor(own, parent.scan(range, direction), direction);
        } catch (RuntimeException failed) {
            own.close();
            throw failed;
        }
    }

    private RowCursor ownRows(KeyRange range, Direction direction) {
        enter();
        try {
            return exact
                    ? new PlainCursor(
                            source.rows()
                                    .scan(
                                            TableLayout.ROWS,
                                            layout.rowRange(range),
                                            direction,
                                            Integer.MAX_VALUE),
                            point)
                    : new MergingCursor(
                            layout, source, version, newestVersion, range, direction, point);
        } catch (RuntimeException failed) {
            point.leave();
            throw failed;
        }
    }
}
