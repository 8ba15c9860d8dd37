package petrichor.transactions.rows;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Reads;
import petrichor.kv.Scan;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;

/**
 * Iterates over the rows as of a version: current rows that are not newer, and from history those
 * that were overwritten or removed since. Works in pieces: reads the rows of a piece first, then
 * the history of the same keys, so that a concurrent commit is found in one of them. A piece ends
 * after {@link #PIECE_ROWS} rows, or earlier where history is dense.
 */
final class MergingCursor implements RowCursor {
    static final int PIECE_ROWS = 256;

    /** Rows of one key's history that are skipped one by one before the scan jumps past the key. */
    private static final int STEPS_BEFORE_JUMP = 8;

    /** A row that was current until {@code supersededAt}. */
    private record Past(long supersededAt, Row row) {}

    private final TableLayout layout;
    private final RowSource source;
    private final long version;
    private final LongSupplier newestVersion;
    private final Direction direction;
    private final ReadPoint point;

    private KeyRange rest;
    private boolean exhausted;
    private boolean closed;
    private Iterator<Row> piece = List.<Row>of().iterator();
    private @Nullable Row current;

    /**
     * @param point already entered; left when the cursor is closed
     */
    MergingCursor(
            TableLayout layout,
            RowSource source,
            long version,
            LongSupplier newestVersion,
            KeyRange range,
            Direction direction,
            ReadPoint point) {
        this.layout = layout;
        this.source = source;
        this.version = version;
        this.newestVersion = newestVersion;
        this.rest = range;
        this.direction = direction;
        this.point = point;
    }

    @Override
    public boolean next() {
        while (!piece.hasNext()) {
            if (exhausted || rest.isEmpty()) {
                current = null;
                return false;
            }
            piece = nextPiece();
        }
        current = piece.next();
        return true;
    }

    @Override
    public byte[] key() {
        return row().key();
    }

    @Override
    public long version() {
        return row().version();
    }

    @Override
    public byte[] value() {
        return row().value();
    }

    private Row row() {
        if (current == null) {
            throw new IllegalStateException("no row: next() was not called or returned false");
        }
        return current;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            exhausted = true;
            piece = List.<Row>of().iterator();
            point.leave();
        }
    }

    private Iterator<Row> nextPiece() {
        List<Row> inPlace = new ArrayList<>();
        try (Scan scan =
                source.rows()
                        .scan(TableLayout.ROWS, layout.rowRange(rest), direction, PIECE_ROWS)) {
            while (scan.next()) {
                inPlace.add(TableLayout.row(TableLayout.keyOfRow(scan.key()), scan.value()));
            }
        }
        KeyRange covered = inPlace.size() < PIECE_ROWS ? rest : upTo(rest, inPlace.getLast().key());
        TreeMap<byte[], Past> past = new TreeMap<>(Bytes::compare);
        int first = TableLayout.hourOf(version);
        // Both are requested after the rows were read, so that history includes all changes until
        // then.
        Reads history = source.historyAfter(version);
        for (int hour = TableLayout.hourOf(newestVersion.getAsLong()); hour >= first; hour--) {
            covered = collectPast(history, hour, covered, past);
        }
        return merge(inPlace, covered, past);
    }

    /** The rest of the range, in scan direction, up to and including the key. */
    private KeyRange upTo(KeyRange range, byte[] key) {
        return switch (direction) {
            case FORWARD -> new KeyRange(range.from(), Bytes.successor(key));
            case REVERSE -> new KeyRange(key, range.to());
        };
    }

    /**
     * Adds rows from the history of one hour.
     *
     * @return the part of the range that was covered
     */
    private KeyRange collectPast(
            Reads history, int hour, KeyRange range, SortedMap<byte[], Past> past) {
        KeyRange stretch = layout.historyRange(hour, range);
        int keys = 0;
        while (true) {
            byte[] key = null;
            int steps = 0;
            KeyRange jump = null;
            try (Scan scan =
                    history.scan(TableLayout.HISTORY, stretch, direction, Integer.MAX_VALUE)) {
                while (jump == null) {
                    if (!scan.next()) {
                        return range;
                    }
                    byte[] historyKey = scan.key();
                    byte[] rowKey = TableLayout.keyOfHistory(historyKey);
                    if (key == null || Bytes.compare(key, rowKey) != 0) {
                        if (key != null && keys >= PIECE_ROWS) {
                            return upTo(range, key);
                        }
                        key = rowKey;
                        steps = 0;
                        keys++;
                    }
                    long supersededAt = TableLayout.supersededAt(historyKey);
                    if (supersededAt > version) {
                        remember(key, supersededAt, scan.value(), past);
                    }
                    if (++steps == STEPS_BEFORE_JUMP) {
                        jump = jump(history, hour, stretch, key, supersededAt, past);
                    }
                }
            }
            stretch = jump;
        }
    }

    private void remember(
            byte[] key, long supersededAt, byte[] value, SortedMap<byte[], Past> past) {
        Past known = past.get(key);
        if (known == null || supersededAt < known.supersededAt) {
            past.put(key, new Past(supersededAt, TableLayout.row(key, value)));
        }
    }

    /** Where to continue after skipping a long history of one key. */
    private KeyRange jump(
            Reads history,
            int hour,
            KeyRange stretch,
            byte[] key,
            long supersededAt,
            SortedMap<byte[], Past> past) {
        KeyRange wanted =
                new KeyRange(
                        layout.historyKey(hour, key, version + 1),
                        layout.historyKey(hour, key, Long.MAX_VALUE));
        return switch (direction) {
            case FORWARD ->
                    new KeyRange(
                            supersededAt <= version
                                    ? wanted.from()
                                    : layout.historyKey(hour, Bytes.successor(key), 0),
                            stretch.to());
            case REVERSE -> {
                // Backward, the wanted row, the first after our version, would come last.
                try (Scan scan = history.scan(TableLayout.HISTORY, wanted, Direction.FORWARD, 1)) {
                    if (scan.next()) {
                        long first = TableLayout.supersededAt(scan.key());
                        remember(key, first, scan.value(), past);
                    }
                }
                yield new KeyRange(stretch.from(), layout.historyKey(hour, key, 0));
            }
        };
    }

    private Iterator<Row> merge(List<Row> inPlace, KeyRange covered, SortedMap<byte[], Past> past) {
        TreeMap<byte[], Row> merged = new TreeMap<>(Bytes::compare);
        past.forEach(
                (key, was) -> {
                    if (was.row.version() <= version && covered.contains(key)) {
                        merged.put(key, was.row);
                    }
                });
        for (Row row : inPlace) {
            if (row.version() <= version && covered.contains(row.key())) {
                merged.put(row.key(), row);
            }
        }
        rest =
                switch (direction) {
                    case FORWARD -> {
                        byte[] end = covered.to();
                        exhausted = end == null;
                        yield end == null ? rest : new KeyRange(end, rest.to());
                    }
                    case REVERSE -> new KeyRange(rest.from(), covered.from());
                };
        return switch (direction) {
            case FORWARD -> merged.values().iterator();
            case REVERSE -> merged.descendingMap().values().iterator();
        };
    }
}
