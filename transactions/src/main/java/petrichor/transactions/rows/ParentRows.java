package petrichor.transactions.rows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Reads;
import petrichor.kv.Scan;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;

/**
 * The rows that a branch shares with its parent: the parent as of the version at which it was
 * branched, read directly from the store, without the parent's owner. The version is immutable: it
 * was complete in the store when the branch was created, and the parent keeps its history for as
 * long as it has the branch. Where the parent is a branch too, what it does not have is read from
 * its own parent.
 *
 * <p>Rows are read before their history, as by {@link VersionReader}. Hours without history are
 * skipped, independently of the clock: an old branch of an idle parent is read as fast as a new
 * one, and a parent whose versions are ahead of the clock is read correctly.
 *
 * <p>Versions before that of the branch are read as well, but nothing keeps them: each read fails
 * if the parent has removed that history. Thread-safe; cursors are confined to one thread.
 */
public final class ParentRows {
    private final TableLayout layout;
    private final long version;
    private final Reads store;
    private final @Nullable ParentRows parent;

    /** Whether the history at this version is kept for the branch. */
    private final boolean held;

    private final ReadPoint point;

    private ParentRows(
            TableLayout layout,
            long version,
            Reads store,
            @Nullable ParentRows parent,
            boolean held) {
        this.layout = layout;
        this.version = version;
        this.store = store;
        this.parent = parent == null ? null : parent.at(version);
        this.held = held;
        this.point = new ReadPoint(version, RowSource.beside(store), false, () -> {});
    }

    /**
     * @param layout of the parent
     * @param version at which it was branched
     * @param parent what the parent itself shares; null if it is not a branch
     */
    public static ParentRows of(
            TableLayout layout, long version, Reads store, @Nullable ParentRows parent) {
        return new ParentRows(layout, version, store, parent, true);
    }

    /** The same rows at a version that is not newer. */
    ParentRows at(long earlier) {
        return earlier >= version ? this : new ParentRows(layout, earlier, store, parent, false);
    }

    /** The databases that are shared, the parent first. */
    public List<TableLayout> layouts() {
        List<TableLayout> layouts = new ArrayList<>();
        for (ParentRows rows = this; rows != null; rows = rows.parent) {
            layouts.add(rows.layout);
        }
        return layouts;
    }

    /** Where all of them are stored. */
    public Reads store() {
        return store;
    }

    @Nullable Row get(byte[] key) {
        Row own = resolve(key, store.get(TableLayout.ROWS, layout.rowKey(key)));
        requireKept();
        if (parent == null) {
            return own;
        }
        return own == null ? parent.get(key) : Shadows.decode(own);
    }

    /**
     * What a branch has at these keys.
     *
     * @param own the stored rows of the branch itself
     */
    List<@Nullable Row> below(List<byte[]> keys, List<@Nullable Row> own) {
        List<@Nullable Row> rows = new ArrayList<>(keys.size());
        List<byte[]> missing = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            Row row = own.get(i);
            if (row == null) {
                missing.add(keys.get(i));
            }
            rows.add(row == null ? null : Shadows.decode(row));
        }
        List<@Nullable Row> found = get(missing);
        for (int i = 0, next = 0; i < keys.size(); i++) {
            if (own.get(i) == null) {
                rows.set(i, found.get(next++));
            }
        }
        return rows;
    }

    private List<@Nullable Row> get(List<byte[]> keys) {
        List<@Nullable Row> own = new ArrayList<>(keys.size());
        for (int from = 0; from < keys.size(); from += ReadPermits.ROWS_AT_ONCE) {
            List<byte[]> some =
                    keys.subList(from, Math.min(keys.size(), from + ReadPermits.ROWS_AT_ONCE));
            ReadPermits.OF_PROCESS.acquire(some.size());
            try {
                List<byte @Nullable []> values =
                        store.get(TableLayout.ROWS, some.stream().map(layout::rowKey).toList());
                for (int i = 0; i < some.size(); i++) {
                    own.add(resolve(some.get(i), values.get(i)));
                }
            } finally {
                ReadPermits.OF_PROCESS.release(some.size());
            }
        }
        requireKept();
        return parent == null || keys.isEmpty() ? own : parent.below(keys, own);
    }

    private @Nullable Row resolve(byte[] key, byte @Nullable [] value) {
        return value != null && TableLayout.versionOf(value) <= version
                ? TableLayout.row(key, value)
                : fromHistory(key);
    }

    private @Nullable Row fromHistory(byte[] key) {
        byte[] end = layout.allHistory().to();
        int hour = TableLayout.hourOf(version);
        byte[] from = layout.historyKey(hour, key, version + 1);
        while (true) {
            KeyRange rest = new KeyRange(from, end);
            try (Scan scan = store.scan(TableLayout.HISTORY, rest, Direction.FORWARD, 1)) {
                if (!scan.next()) {
                    return null;
                }
                byte[] found = scan.key();
                if (Arrays.equals(key, TableLayout.keyOfHistory(found))) {
                    Row prior = TableLayout.row(key, scan.value());
                    // Newer than our version as well: it was created later.
                    return prior.version() <= version ? prior : null;
                }
                // The next hour that has history, in which the key may still come.
                int next = TableLayout.hourOf(TableLayout.supersededAt(found));
                hour = next > hour ? next : hour + 1;
            }
            from = layout.historyKey(hour, key, 0);
        }
    }

    RowCursor scan(KeyRange range, Direction direction) {
        if (!point.enter()) {
            throw new IllegalStateException("the read point of a parent is never left");
        }
        RowCursor own =
                new MergingCursor(
                        layout,
                        point.source(),
                        version,
                        this::newestHistory,
                        range,
                        direction,
                        point);
        RowCursor kept = held ? own : new CheckedCursor(own, this::requireKept);
        return parent == null
                ? kept
                : new BranchCursor(kept, parent.scan(range, direction), direction);
    }

    /** The version of the newest history; 0 if there is none. */
    private long newestHistory() {
        try (Scan scan =
                store.scan(TableLayout.HISTORY, layout.allHistory(), Direction.REVERSE, 1)) {
            return scan.next() ? TableLayout.supersededAt(scan.key()) : 0;
        }
    }

    /** Call after a read: it was complete if its history was not removed before. */
    private void requireKept() {
        if (held) {
            return;
        }
        byte[] removed = store.get(TableLayout.META, layout.meta('G'));
        long from = removed == null ? 0 : TableLayout.longAt(removed, 0);
        if (version < from) {
            throw PetrichorException.invalid(
                    "The read time is before the branch was created, and its parent no longer has"
                            + " that version: it goes back to {since}.",
                    "since",
                    java.time.Instant.EPOCH.plus(from, java.time.temporal.ChronoUnit.MICROS));
        }
    }
}
