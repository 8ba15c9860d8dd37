package petrichor.sql.h2;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.h2.index.Cursor;
import org.h2.index.Index;
import org.h2.result.Row;
import org.h2.result.SearchRow;
import org.h2.value.Value;
import org.jspecify.annotations.Nullable;
import petrichor.tables.TableTransaction;

/** What a statement reads through each index, for EXPLAIN ANALYZE. Confined to one thread. */
final class ReadCounts {
    /** Ranges of an index that are kept. */
    private static final int RANGES_MAX = 3;

    /** Of one index; several steps of a plan may share it. */
    static final class OfIndex {
        long loops;
        long rows;
        long keys;
        long roundTrips;
        long nanos;
        final List<String> ranges = new ArrayList<>();
    }

    private final IdentityHashMap<Index, OfIndex> byIndex = new IdentityHashMap<>();

    /** Zeros if nothing was read. */
    OfIndex of(Index index) {
        return byIndex.computeIfAbsent(index, _ -> new OfIndex());
    }

    /** How an index is searched. */
    interface Search {
        Cursor find();
    }

    Cursor find(
            Index index,
            TableTransaction transaction,
            @Nullable SearchRow first,
            @Nullable SearchRow last,
            Search search) {
        OfIndex counts = of(index);
        counts.loops++;
        if (counts.ranges.size() < RANGES_MAX) {
            counts.ranges.add(range(index, first, last));
        }
        Measured measured = new Measured(counts, transaction);
        measured.begin();
        Cursor cursor = search.find();
        measured.end();
        return new Counting(cursor, measured);
    }

    private static String range(Index index, @Nullable SearchRow first, @Nullable SearchRow last) {
        String low = bound(index, first);
        String high = bound(index, last);
        return low.equals(high) && !low.isEmpty()
                ? "[" + low + "]"
                : "[" + low + " .. " + high + "]";
    }

    private static String bound(Index index, @Nullable SearchRow row) {
        List<String> values = new ArrayList<>();
        if (row != null && !index.getIndexType().isScan()) {
            for (int column : columns(index)) {
                Value value = row.getValue(column);
                if (value == null) {
                    break;
                }
                values.add(value.getTraceSQL());
            }
        }
        return String.join(", ", values);
    }

    private static int[] columns(Index index) {
        int[] columns = new int[index.getIndexColumns().length];
        for (int i = 0; i < columns.length; i++) {
            columns[i] = index.getIndexColumns()[i].column.getColumnId();
        }
        return columns;
    }

    /** Adds what happens between begin and end. */
    private static final class Measured {
        private final OfIndex counts;
        private final TableTransaction transaction;
        private long keys;
        private long roundTrips;
        private long nanos;

        Measured(OfIndex counts, TableTransaction transaction) {
            this.counts = counts;
            this.transaction = transaction;
        }

        void begin() {
            keys = transaction.keysRead();
            roundTrips = transaction.reads();
            nanos = System.nanoTime();
        }

        void end() {
            counts.keys += transaction.keysRead() - keys;
            counts.roundTrips += transaction.reads() - roundTrips;
            counts.nanos += System.nanoTime() - nanos;
        }
    }

    private record Counting(Cursor cursor, Measured measured) implements Cursor {
        @Override
        public @Nullable Row get() {
            return cursor.get();
        }

        @Override
        public @Nullable SearchRow getSearchRow() {
            return cursor.getSearchRow();
        }

        @Override
        public boolean next() {
            measured.begin();
            boolean found = cursor.next();
            measured.end();
            measured.counts.rows += found ? 1 : 0;
            return found;
        }

        @Override
        public boolean previous() {
            return cursor.previous();
        }
    }

    /** Searches an index, and counts what is read if the session does. */
    static Cursor counted(
            RowSession rows,
            Index index,
            @Nullable SearchRow first,
            @Nullable SearchRow last,
            Search search) {
        ReadCounts counts = rows.counts();
        return counts == null
                ? search.find()
                : counts.find(index, rows.transaction(), first, last, search);
    }
}
