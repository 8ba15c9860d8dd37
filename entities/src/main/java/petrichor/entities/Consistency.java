package petrichor.entities;

import com.google.datastore.v1.Entity;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;

/**
 * Verifies that the indexes of a database match its entities: recomputes every index row and
 * compares. Reads the whole database; keeps only differences. Stateless.
 */
public final class Consistency {
    private static final int ROWS_PER_READ = 100;

    private Consistency() {}

    /** A violation, with a description for people. */
    public record Difference(String text) {}

    /**
     * Result of a check.
     *
     * @param differences at most as many as requested
     */
    public record Report(long entities, long indexRows, List<Difference> differences) {
        public boolean consistent() {
            return differences.isEmpty();
        }
    }

    /**
     * @param differencesMax stop after this many
     */
    public static Report check(EntityDatabase database, RowReader reader, int differencesMax) {
        Check check = new Check(database.indexes().at(reader), reader, differencesMax);
        check.entities();
        check.indexRows();
        return new Report(check.entities, check.indexRows, check.differences);
    }

    /**
     * Checks both directions: each entity has all its rows, and no other rows exist. For the
     * second, comparing counts suffices, as rows of different entities differ; only if the counts
     * differ does it search for the surplus rows.
     */
    private static final class Check {
        private final Indexes indexes;
        private final RowReader reader;
        private final int differencesMax;
        private final List<Difference> differences = new ArrayList<>();
        private long entities;
        private long expectedRows;
        private long indexRows;

        Check(Indexes indexes, RowReader reader, int differencesMax) {
            this.indexes = indexes;
            this.reader = reader;
            this.differencesMax = differencesMax;
        }

        void entities() {
            try (RowCursor cursor = reader.scan(RowLayout.entities(), Direction.FORWARD)) {
                while (cursor.next() && differences.size() < differencesMax) {
                    entities++;
                    entity(cursor.key(), EntityRow.entity(cursor.value()));
                }
            }
        }

        private void entity(byte[] row, Entity entity) {
            if (!Bytes.of(RowLayout.entityRow(entity.getKey())).equals(Bytes.of(row))) {
                add("The row " + Bytes.of(row) + " holds " + KeyText.of(entity.getKey()) + ".");
            }
            Set<Bytes> expected = Indexing.storedRows(entity, indexes);
            List<Bytes> list = List.copyOf(expected);
            for (int from = 0; from < list.size(); from += ROWS_PER_READ) {
                List<Bytes> some = list.subList(from, Math.min(list.size(), from + ROWS_PER_READ));
                List<@Nullable Row> rows = reader.get(some.stream().map(Bytes::array).toList());
                for (int i = 0; i < some.size(); i++) {
                    if (rows.get(i) != null) {
                        expectedRows++;
                    } else if (complete(some.get(i))) {
                        add(
                                "The entity "
                                        + KeyText.of(entity.getKey())
                                        + " lacks the index row "
                                        + some.get(i)
                                        + ".");
                    }
                }
            }
        }

        /**
         * Whether the index must have all rows: one that is still being built may lack some, but
         * must not have wrong ones.
         */
        private boolean complete(Bytes row) {
            for (CompositeIndex index : indexes.all()) {
                if (index.state() == CompositeIndex.State.WRITE_ONLY
                        && RowLayout.composite(index.id()).contains(row.array())) {
                    return false;
                }
            }
            return true;
        }

        void indexRows() {
            List<KeyRange> ranges = new ArrayList<>();
            ranges.add(KeyRange.ofPrefix(RowLayout.kindPrefix()));
            ranges.add(RowLayout.properties());
            ranges.add(RowLayout.composites());
            for (KeyRange range : ranges) {
                count(range);
            }
            if (indexRows != expectedRows && differences.size() < differencesMax) {
                for (KeyRange range : ranges) {
                    findSurplus(range);
                }
            }
        }

        private void count(KeyRange range) {
            try (RowCursor cursor = reader.scan(range, Direction.FORWARD)) {
                while (cursor.next()) {
                    if (!beingRemoved(cursor.key())) {
                        indexRows++;
                    }
                }
            }
        }

        private boolean beingRemoved(byte[] row) {
            for (CompositeIndex index : indexes.all()) {
                if (!index.maintained() && RowLayout.composite(index.id()).contains(row)) {
                    return true;
                }
            }
            return false;
        }

        private void findSurplus(KeyRange range) {
            try (RowCursor cursor = reader.scan(range, Direction.FORWARD)) {
                while (cursor.next() && differences.size() < differencesMax) {
                    byte[] row = cursor.key();
                    if (!beingRemoved(row) && !belongs(row)) {
                        add("No entity has the index row " + Bytes.of(row) + ".");
                    }
                }
            }
        }

        private boolean belongs(byte[] row) {
            byte[] entityRow = RowLayout.entityRowOf(row, indexes);
            Row entity = entityRow == null ? null : reader.get(entityRow);
            return entity != null
                    && Indexing.storedRows(EntityRow.entity(entity.value()), indexes)
                            .contains(Bytes.of(row));
        }

        private void add(String text) {
            differences.add(new Difference(text));
        }
    }
}
