package petrichor.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

final class TableTransactionTest {
    private static final StoredTable TABLE =
            new StoredTable(
                    20,
                    "public",
                    "t",
                    List.of(
                            new StoredColumn(1, "id", ColumnType.of(DataType.INTEGER), false, null),
                            new StoredColumn(2, "name", ColumnType.of(DataType.TEXT), true, null)),
                    List.of(new StoredIndex.Part(1, false)),
                    List.of(
                            new StoredIndex(
                                    21,
                                    "by_name",
                                    true,
                                    StoredIndex.State.READABLE,
                                    List.of(new StoredIndex.Part(2, false)))),
                    3);

    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases databases = new RowDatabases(store);
    private final TableStore tables = TableStore.open(databases.open("p"));
    private final TableFormat format = new TableFormat(TABLE);

    @AfterEach
    void close() {
        databases.close();
        store.close();
    }

    private List<Object> ids(TableTransaction transaction, Direction direction, int mark) {
        List<Object> ids = new ArrayList<>();
        TableAccess.Scan scan =
                tables.access(transaction, format).rows(format.rows(), direction, mark);
        for (TableRow row = scan.next(); row != null; row = scan.next()) {
            ids.add(row.values()[0]);
        }
        return ids;
    }

    private List<Object> idsByName(TableTransaction transaction) {
        List<Object> ids = new ArrayList<>();
        StoredIndex index = TABLE.indexes().getFirst();
        TableAccess.Scan scan =
                tables.access(transaction, format)
                        .rows(
                                index,
                                format.range(index, List.of(), List.of()),
                                Direction.FORWARD,
                                transaction.mark());
        for (TableRow row = scan.next(); row != null; row = scan.next()) {
            ids.add(row.values()[0]);
        }
        return ids;
    }

    @Test
    void readsItsWritesUpToAMark() {
        try (TableTransaction transaction = tables.begin()) {
            TableAccess access = tables.access(transaction, format);
            access.insert(new Object[] {1, "a"});
            int mark = transaction.mark();
            access.insert(new Object[] {2, "b"});
            access.remove(format.rowKey(new Object[] {1, "a"}), new Object[] {1, "a"});
            assertThat(ids(transaction, Direction.FORWARD, mark)).containsExactly(1);
            assertThat(ids(transaction, Direction.FORWARD, transaction.mark())).containsExactly(2);
            transaction.undo(mark);
            assertThat(ids(transaction, Direction.FORWARD, transaction.mark())).containsExactly(1);
        }
    }

    @Test
    void duplicatesAreFound() {
        try (TableTransaction transaction = tables.begin()) {
            TableAccess access = tables.access(transaction, format);
            access.insert(new Object[] {1, "a"});
            assertThat(access.insert(new Object[] {1, "b"}))
                    .isEqualTo(new TableAccess.Insertion.Duplicate(null));
            assertThat(access.insert(new Object[] {2, "a"}))
                    .isEqualTo(new TableAccess.Insertion.Duplicate(TABLE.indexes().getFirst()));
            assertThat(access.insert(new Object[] {2, null}))
                    .isInstanceOf(TableAccess.Insertion.Inserted.class);
            assertThat(access.insert(new Object[] {3, null}))
                    .isInstanceOf(TableAccess.Insertion.Inserted.class);
            transaction.commit();
        }
        try (TableTransaction snapshot = tables.snapshot()) {
            assertThat(idsByName(snapshot)).containsExactly(1, 2, 3);
        }
    }

    @Test
    void oneOfTwoInsertionsOfAUniqueValueCommits() {
        try (TableTransaction first = tables.begin();
                TableTransaction second = tables.begin()) {
            tables.access(first, format).insert(new Object[] {1, "same"});
            tables.access(second, format).insert(new Object[] {2, "same"});
            first.commit();
            assertThatThrownBy(second::commit).isInstanceOf(PetrichorException.class);
        }
    }

    /** Random changes, undone in part, against a map. */
    @Test
    void randomChangesAreThoseOfAMap() {
        long seed = Long.getLong("seed", 20261128L);
        Random random = new Random(seed);
        TreeMap<Integer, String> model = new TreeMap<>();
        for (int round = 0; round < 40; round++) {
            TreeMap<Integer, String> changed = new TreeMap<>(model);
            try (TableTransaction transaction = tables.begin()) {
                TableAccess access = tables.access(transaction, format);
                for (int step = 0; step < 30; step++) {
                    int mark = transaction.mark();
                    TreeMap<Integer, String> before = new TreeMap<>(changed);
                    change(random, access, changed);
                    if (random.nextInt(4) == 0) {
                        transaction.undo(mark);
                        changed = before;
                    }
                }
                assertThat(ids(transaction, Direction.FORWARD, transaction.mark()))
                        .as("-Dseed=%d", seed)
                        .isEqualTo(List.copyOf(changed.keySet()));
                assertThat(ids(transaction, Direction.REVERSE, transaction.mark()))
                        .isEqualTo(List.copyOf(changed.descendingKeySet()));
                for (int id = 0; id < 60; id++) {
                    String name = changed.get(id);
                    List<Object> expected = name == null ? List.of() : List.of(id);
                    assertThat(idsOf(transaction, null, id)).isEqualTo(expected);
                    if (name != null) {
                        assertThat(idsOf(transaction, TABLE.indexes().getFirst(), name))
                                .isEqualTo(expected);
                    }
                }
                if (random.nextBoolean()) {
                    transaction.commit();
                    model = changed;
                }
            }
        }
        TreeMap<String, Integer> byName = new TreeMap<>();
        model.forEach((id, name) -> byName.put(name, id));
        try (TableTransaction snapshot = tables.snapshot()) {
            assertThat(idsByName(snapshot)).isEqualTo(List.copyOf(byName.values()));
        }
    }

    /** Of the rows with one value of an index, or of the primary key. */
    private List<Object> idsOf(
            TableTransaction transaction, @Nullable StoredIndex index, Object value) {
        KeyRange range = format.range(index, List.of(value), List.of(value));
        TableAccess access = tables.access(transaction, format);
        TableAccess.Scan scan =
                index == null
                        ? access.rows(range, Direction.FORWARD, transaction.mark())
                        : access.rows(index, range, Direction.FORWARD, transaction.mark());
        List<Object> ids = new ArrayList<>();
        for (TableRow row = scan.next(); row != null; row = scan.next()) {
            ids.add(row.values()[0]);
        }
        return ids;
    }

    @Test
    void rowReadByItsKeyConflictsOnlyWithChangesOfThatRow() {
        KeyRange range = format.range(null, List.of(2), List.of(2));
        assertThat(range.isOneKey()).isTrue();
        assertThat(format.range(null, List.of(2), List.of(3)).isOneKey()).isFalse();
        assertThat(format.range(null, List.of(2), List.of()).isOneKey()).isFalse();
        try (TableTransaction reader = tables.begin();
                TableTransaction other = tables.begin();
                TableTransaction same = tables.begin()) {
            assertThat(idsOf(reader, null, 2)).isEmpty();
            insert(other, 1, "one");
            other.commit();
            insert(reader, 3, "three");
            reader.commit();

            assertThat(idsOf(same, null, 3)).isEmpty();
            insert(same, 4, "four");
            assertThatThrownBy(same::commit).isInstanceOf(PetrichorException.class);
        }
    }

    private void insert(TableTransaction transaction, int id, String name) {
        assertThat(tables.access(transaction, format).insert(new Object[] {id, name}))
                .isInstanceOf(TableAccess.Insertion.Inserted.class);
    }

    private void change(Random random, TableAccess access, Map<Integer, String> model) {
        int id = random.nextInt(60);
        String old = model.get(id);
        if (old != null) {
            Object[] values = {id, old};
            assertThat(access.remove(format.rowKey(values), values)).isTrue();
            model.remove(id);
        }
        if (old == null || random.nextBoolean()) {
            String name = "n" + random.nextInt(80);
            boolean free = !model.containsValue(name);
            TableAccess.Insertion insertion = access.insert(new Object[] {id, name});
            assertThat(insertion instanceof TableAccess.Insertion.Inserted).isEqualTo(free);
            if (free) {
                model.put(id, name);
            }
        }
    }

    @Test
    void aCatalogOfAnotherDatabaseWithTheSameNumberIsNotTakenForTheKnownOne() {
        CatalogObject mine = new CatalogObject(0, 1, "CREATE TABLE mine", 0, null);
        CatalogObject others = new CatalogObject(0, 1, "CREATE TABLE others", 0, null);
        CatalogImage known;
        try (TableTransaction transaction = tables.begin()) {
            tables.change(transaction, tables.catalog(transaction), 16, List.of(mine), true);
            transaction.commit();
        }
        try (TableTransaction transaction = tables.snapshot()) {
            known = tables.catalog(transaction);
            assertThat(tables.catalog(transaction)).isSameAs(known);
        }
        // As a replica receives it.
        try (TableTransaction transaction = tables.begin()) {
            byte[] number = new ValueWriter(12).putNumber(known.version()).putNumber(18).toBytes();
            transaction.write(TableKeys.version(), number);
            transaction.write(TableKeys.object(16), CatalogCodec.encode(others));
            transaction.commit();
        }
        try (TableTransaction transaction = tables.snapshot()) {
            CatalogImage replaced = tables.catalog(transaction);
            assertThat(replaced.version()).isEqualTo(known.version());
            assertThat(replaced.objects().get(16))
                    .extracting("definition")
                    .isEqualTo("CREATE TABLE others");
        }
    }
}
