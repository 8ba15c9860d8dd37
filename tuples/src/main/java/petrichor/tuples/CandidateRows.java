package petrichor.tuples;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.placement.advisor.EvenRanges;
import petrichor.placement.advisor.Usage;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;

/**
 * The rows that tuples would have in a layout, in memory. Reads of them are counted, so that the
 * code that serves operations can be run as an estimate of what it would read. Confined to one
 * thread.
 */
final class CandidateRows implements RowReader {
    /** A row and its size with the tuple's value, which it does not have. */
    private record Sized(Row row, int bytes) {}

    private final TupleLayout layout;
    private final Map<String, Integer> groups;
    private final List<Sized> rows;
    private final Usage usage;
    private final KnownPlaces known = new KnownPlaces();
    private final Set<Bytes> hidden = new HashSet<>();

    private CandidateRows(
            TupleLayout layout, Map<String, Integer> groups, List<Sized> rows, Usage usage) {
        this.layout = layout;
        this.groups = groups;
        this.rows = rows;
        this.usage = usage;
    }

    /**
     * @param tuples with different keys
     * @param groups of affinity keys
     */
    static CandidateRows of(
            TupleLayout layout,
            Iterable<SampledOperation.SampledTuple> tuples,
            Map<String, Integer> groups,
            int nodes) {
        List<Sized> rows = new ArrayList<>();
        for (SampledOperation.SampledTuple one : tuples) {
            rows.addAll(rows(layout, groups, one));
        }
        rows.sort(Comparator.comparing(sized -> sized.row().key(), Bytes::compare));
        EvenRanges ranges =
                EvenRanges.of(
                        rows.stream().map(sized -> sized.row().key()).toList(),
                        rows.stream().mapToLong(Sized::bytes).toArray(),
                        nodes);
        CandidateRows candidate = new CandidateRows(layout, groups, rows, new Usage(ranges));
        for (SampledOperation.SampledTuple one : tuples) {
            Tuple tuple = one.tuple();
            candidate.known.learn(layout, tuple.key(), prefix(layout, groups, tuple));
        }
        return candidate;
    }

    private static byte[] prefix(TupleLayout layout, Map<String, Integer> groups, Tuple tuple) {
        String affinityKey = layout.affinityKey(tuple.key());
        return layout.prefix(
                tuple.key(), tuple.tags(), affinityKey == null ? null : groups.get(affinityKey));
    }

    private static List<Sized> rows(
            TupleLayout layout,
            Map<String, Integer> groups,
            SampledOperation.SampledTuple sampled) {
        Tuple tuple = sampled.tuple();
        List<Sized> rows = new ArrayList<>();
        for (TupleRows.TupleRow row :
                TupleRows.rows(layout, tuple, prefix(layout, groups, tuple))) {
            int value = rows.isEmpty() ? sampled.valueBytes() : 0; // the tuple's row is the first
            int bytes = row.key().length + row.value().length + value;
            rows.add(new Sized(new Row(row.key(), 0, row.value()), bytes));
        }
        return rows;
    }

    Usage usage() {
        return usage;
    }

    KnownPlaces known() {
        return known;
    }

    /** These tuples are read as if they did not exist yet, until other ones are hidden. */
    void hide(Iterable<SampledOperation.SampledTuple> tuples) {
        hidden.clear();
        for (SampledOperation.SampledTuple one : tuples) {
            rows(layout, groups, one).forEach(sized -> hidden.add(Bytes.of(sized.row().key())));
        }
    }

    /** Counts the writes of the rows of a tuple. */
    void create(SampledOperation.SampledTuple tuple) {
        rows(layout, groups, tuple).forEach(row -> usage.write(row.row().key(), row.bytes()));
    }

    /** Counts the write of a tuple whose tags, and so its other rows, stay as they are. */
    void replace(SampledOperation.SampledTuple tuple) {
        Sized row = rows(layout, groups, tuple).getFirst();
        usage.write(row.row().key(), row.bytes());
    }

    /** The place of the first row that is not before the key. */
    private int place(byte[] key) {
        int low = 0;
        int high = rows.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Bytes.compare(rows.get(middle).row().key(), key) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    @Override
    public long version() {
        return 0;
    }

    @Override
    public @Nullable Row get(byte[] key) {
        return get(List.of(key)).getFirst();
    }

    @Override
    public List<@Nullable Row> get(List<byte[]> keys) {
        usage.round();
        List<@Nullable Row> found = new ArrayList<>(keys.size());
        for (byte[] key : keys) {
            usage.ask(key);
            int place = place(key);
            Row row = null;
            if (!hidden.contains(Bytes.of(key))
                    && place < rows.size()
                    && Bytes.compare(rows.get(place).row().key(), key) == 0) {
                row = rows.get(place).row();
                usage.read(rows.get(place).bytes());
            }
            found.add(row);
        }
        return found;
    }

    @Override
    public RowCursor scan(KeyRange range, Direction direction) {
        if (direction != Direction.FORWARD) {
            throw new IllegalArgumentException("tuples are read forward");
        }
        usage.round();
        usage.ask(range.from());
        return new Cursor(range);
    }

    /** Asks the nodes of a range, one after the other. */
    private final class Cursor implements RowCursor {
        private final KeyRange range;
        private int next;
        private Sized at = new Sized(new Row(new byte[0], 0, new byte[0]), 0);

        Cursor(KeyRange range) {
            this.range = range;
            this.next = place(range.from());
        }

        @Override
        public boolean next() {
            byte[] end = range.to();
            if (next == rows.size()
                    || (end != null && Bytes.compare(rows.get(next).row().key(), end) >= 0)) {
                return false;
            }
            at = rows.get(next++);
            usage.ask(at.row().key());
            usage.read(at.bytes());
            return true;
        }

        @Override
        public byte[] key() {
            return at.row().key();
        }

        @Override
        public long version() {
            return 0;
        }

        @Override
        public byte[] value() {
            return at.row().value();
        }

        @Override
        public void close() {}
    }
}
