package petrichor.tuples;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;
import petrichor.tuples.AccessPath.Kind;

/** Reads the tuples of an access path in chunks, and keeps nothing open between them. */
final class TupleReads {
    private static final int CHUNK_ROWS_FIRST = 32;
    private static final int CHUNK_ROWS_MAX = 512;

    private final RowReader reader;
    private final TupleLayout layout;
    private final AccessPath path;
    private final TagFilter filter;

    private TupleReads(RowReader reader, TupleLayout layout, AccessPath path, TagFilter filter) {
        this.reader = reader;
        this.layout = layout;
        this.path = path;
        this.filter = filter;
    }

    /**
     * @param after the last row of the previous page; null for the first page
     */
    static FoundTuples page(
            RowReader reader,
            TupleLayout layout,
            AccessPath path,
            TagFilter filter,
            byte @Nullable [] after,
            PageSize size) {
        FoundTuples found = new FoundTuples(size);
        new TupleReads(reader, layout, path, filter).fill(found, path.after(after));
        return found;
    }

    /**
     * Rows that were read together.
     *
     * @param rest null if the range is at its end
     */
    private record Chunk(List<Row> rows, @Nullable KeyRange rest) {}

    private void fill(FoundTuples found, List<KeyRange> ranges) {
        int limit = CHUNK_ROWS_FIRST;
        for (KeyRange range : ranges) {
            KeyRange rest = range;
            while (rest != null) {
                Chunk chunk = read(rest, filter.selectsAll() ? found.room() : limit);
                List<Tuple> tuples = tuples(chunk.rows());
                long bytes = 1;
                for (int i = 0; i < tuples.size(); i++) {
                    Row row = chunk.rows().get(i);
                    Tuple tuple = tuples.get(i);
                    bytes += tuple.bytes();
                    found.passed(row.key());
                    if (filter.selects(tuple) && isFirst(row.key(), tuple)) {
                        found.add(tuple);
                    }
                    if (found.isFull()) {
                        return;
                    }
                }
                limit = next(limit, bytes / Math.max(1, tuples.size()));
                KeyRange following = chunk.rest();
                if (following != null && tuples.isEmpty()) {
                    found.passed(before(following));
                    if (found.isFull()) {
                        return;
                    }
                }
                rest = following;
            }
        }
        found.end();
    }

    /** A position so that the next page begins with this range. */
    private static byte[] before(KeyRange range) {
        byte[] from = range.from();
        int last = from.length - 1;
        if (from[last] == 0) {
            return java.util.Arrays.copyOf(from, last);
        }
        byte[] before = java.util.Arrays.copyOf(from, from.length + 1);
        before[last]--;
        before[last + 1] = (byte) 0xFF;
        return before;
    }

    /** As many rows as fit into a page, judging by the rows so far. */
    private static int next(int limit, long rowBytes) {
        long fitting = TupleLimits.PAGE_BYTES_MAX / Math.max(1, rowBytes);
        return (int) Math.max(1, Math.min(Math.min(CHUNK_ROWS_MAX, 4L * limit), fitting));
    }

    private Chunk read(KeyRange range, int limit) {
        List<Row> rows = new ArrayList<>();
        long bytes = 0;
        byte[] last = range.from();
        try (RowCursor cursor = reader.scan(range, Direction.FORWARD)) {
            while (cursor.next()) {
                byte[] key = cursor.key();
                if (path.kind() == Kind.TUPLES && TupleRows.keyOfTuple(layout, key) == null) {
                    return new Chunk(rows, rest(TupleRows.afterRoot(layout, key), range));
                }
                rows.add(new Row(key, cursor.version(), cursor.value()));
                bytes += cursor.value().length;
                last = key;
                if (rows.size() >= Math.max(1, limit) || bytes >= TupleLimits.PAGE_BYTES_MAX) {
                    return new Chunk(rows, rest(Bytes.successor(last), range));
                }
            }
        }
        return new Chunk(rows, null);
    }

    private static @Nullable KeyRange rest(byte[] from, KeyRange range) {
        byte[] to = range.to();
        return to != null && Bytes.compare(from, to) >= 0 ? null : new KeyRange(from, to);
    }

    private List<Tuple> tuples(List<Row> rows) {
        List<Tuple> tuples = new ArrayList<>(rows.size());
        if (path.kind() == Kind.TUPLES) {
            for (Row row : rows) {
                tuples.add(TupleRows.decode(key(row), row.value()));
            }
            return tuples;
        }
        List<byte[]> positions = new ArrayList<>(rows.size());
        for (Row row : rows) {
            positions.add(TupleRows.tuple(layout, row.value(), key(row)));
        }
        List<@Nullable Row> found = positions.isEmpty() ? List.of() : reader.get(positions);
        for (int i = 0; i < rows.size(); i++) {
            Row row = found.get(i);
            String key = key(rows.get(i));
            if (row == null) {
                throw Places.missing(key);
            }
            tuples.add(TupleRows.decode(key, row.value()));
        }
        return tuples;
    }

    private String key(Row row) {
        return switch (path.kind()) {
            case TUPLES ->
                    java.util.Objects.requireNonNull(TupleRows.keyOfTuple(layout, row.key()));
            case KEYS -> TupleRows.keyOfKey(row.key());
            case TAGS -> TupleRows.keyOfTag(row.key());
        };
    }

    /** Whether no other index entry of the tuple that the path reads comes before this one. */
    private boolean isFirst(byte[] row, Tuple tuple) {
        if (path.kind() != Kind.TAGS) {
            return true;
        }
        for (Tag tag : tuple.tags()) {
            if (layout.indexes(tag.dimension())) {
                byte[] entry = TupleRows.tag(layout.id(), tag, tuple.key());
                if (path.contains(entry)) {
                    return java.util.Arrays.equals(entry, row);
                }
            }
        }
        return true;
    }
}
