package petrichor.tables;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

/** Indexes are built while transactions write, and builders stop at every step. */
final class IndexBuildsTest {
    private static final int TABLE = 20;
    private static final int INDEX = 21;
    private static final int STEP_ROWS = 5;
    private static final int IDS = 40;

    private MemoryStore store = MemoryStore.open();
    private RowDatabases databases = new RowDatabases(store);
    private TableStore tables = TableStore.open(databases.open("p"));

    @BeforeEach
    void open() {
        close();
        store = MemoryStore.open();
        databases = new RowDatabases(store);
        tables = TableStore.open(databases.open("p"));
    }

    @AfterEach
    void close() {
        databases.close();
        store.close();
    }

    private static StoredTable table(List<StoredIndex> indexes) {
        return new StoredTable(
                TABLE,
                "public",
                "t",
                List.of(
                        new StoredColumn(1, "id", ColumnType.of(DataType.INTEGER), false, null),
                        new StoredColumn(2, "name", ColumnType.of(DataType.TEXT), true, null)),
                List.of(new StoredIndex.Part(1, false)),
                indexes,
                3);
    }

    private void define(boolean unique) {
        try (TableTransaction transaction = tables.begin()) {
            CatalogObject object = new CatalogObject(0, 7, "CREATE TABLE t", 0, table(List.of()));
            CatalogImage _ =
                    tables.change(
                            transaction, tables.catalog(transaction), 100, List.of(object), true);
            transaction.commit();
        }
        this.unique = unique;
    }

    private boolean unique;

    private IndexBuilds builds(long builder) {
        return new IndexBuilds(tables, builder, STEP_ROWS);
    }

    private IndexBuild start(long builder) {
        try (TableTransaction transaction = tables.begin()) {
            CatalogImage before = tables.catalog(transaction);
            StoredIndex index =
                    new StoredIndex(
                            INDEX,
                            "by_name",
                            unique,
                            StoredIndex.State.DELETE_ONLY,
                            List.of(new StoredIndex.Part(2, false)));
            CatalogObject object =
                    new CatalogObject(0, 7, "CREATE TABLE t", 0, table(List.of(index)));
            CatalogImage after =
                    tables.change(transaction, before, before.nextId(), List.of(object), true);
            List<IndexBuild> added = builds(builder).added(before, after);
            builds(builder).start(transaction, added);
            transaction.commit();
            assertThat(added).hasSize(1);
            return added.getFirst();
        }
    }

    /** A transaction of a server that has read the catalog. */
    private final class Writer {
        private final TableTransaction transaction = tables.begin();
        private final TableAccess access;

        Writer() {
            StoredTable table = requireNonNull(tables.catalog(transaction).table(TABLE));
            access = tables.access(transaction, new TableFormat(table));
        }

        void put(int id, String name) {
            remove(id);
            access.insert(new Object[] {id, name});
        }

        void remove(int id) {
            byte[] key = key(id);
            TableRow row = access.get(key, transaction.mark());
            if (row != null) {
                assertThat(access.remove(key, row.values())).isTrue();
            }
        }

        private byte[] key(int id) {
            return new TableFormat(table(List.of())).rowKey(new Object[] {id, null});
        }

        /** False if it lost. */
        boolean commit() {
            try (transaction) {
                transaction.commit();
                return true;
            } catch (PetrichorException lost) {
                assertThat(lost.code()).isEqualTo(ErrorCode.ABORTED);
                return false;
            }
        }
    }

    private void put(int id, String name) {
        Writer writer = new Writer();
        writer.put(id, name);
        assertThat(writer.commit()).isTrue();
    }

    /** Every row has its entry, and every entry its row. */
    private void requireConsistent(boolean readable) {
        try (TableTransaction transaction = tables.begin()) {
            StoredTable table = requireNonNull(tables.catalog(transaction).table(TABLE));
            StoredIndex index = requireNonNull(table.index(INDEX));
            assertThat(index.readable()).isEqualTo(readable);
            TableFormat format = new TableFormat(table);
            List<Object> rows = new ArrayList<>();
            List<Object> entries = new ArrayList<>();
            TableAccess access = tables.access(transaction, format);
            TableAccess.Scan scan = access.rows(format.rows(), Direction.FORWARD, 0);
            for (TableRow row = scan.next(); row != null; row = scan.next()) {
                rows.add(row.values()[1] + "/" + row.values()[0]);
            }
            scan =
                    access.rows(
                            index, format.range(index, List.of(), List.of()), Direction.FORWARD, 0);
            for (TableRow row = scan.next(); row != null; row = scan.next()) {
                entries.add(row.values()[1] + "/" + row.values()[0]);
            }
            assertThat(entries).containsExactlyInAnyOrderElementsOf(rows);
        }
    }

    private static IndexBuilds.Step finish(IndexBuilds.Builder builder) {
        while (true) {
            IndexBuilds.Step step = builder.step();
            boolean more =
                    step instanceof IndexBuilds.Step.Advanced
                            || step instanceof IndexBuilds.Step.Conflicted;
            if (!more) {
                return step;
            }
        }
    }

    @Test
    void anotherServerContinuesAfterEachStep() {
        for (int steps = 0; steps < 12; steps++) {
            open();
            define(true);
            for (int id = 0; id < IDS; id++) {
                put(id, "n" + id);
            }
            IndexBuild build = start(1);
            IndexBuilds.Builder first = builds(1).builder(build);
            for (int step = 0; step < steps; step++) {
                IndexBuilds.Step _ = first.step();
            }
            IndexBuilds second = builds(2);
            for (IndexBuild left : second.running()) {
                assertThat(second.takeOver(left)).isTrue();
                assertThat(first.step()).isInstanceOf(IndexBuilds.Step.TakenOver.class);
            }
            assertThat(finish(second.builder(build))).isInstanceOf(IndexBuilds.Step.Built.class);
            assertThat(second.running()).isEmpty();
            requireConsistent(true);
        }
    }

    @Test
    void aBuildThatAdvancesIsNotTakenOver() {
        define(false);
        put(1, "a");
        IndexBuild build = start(1);
        IndexBuild seen = builds(2).running().getFirst();
        IndexBuilds.Step _ = builds(1).builder(build).step();
        assertThat(builds(2).takeOver(seen)).isFalse();
    }

    @Test
    void duplicatesEndAUniqueBuild() {
        define(true);
        for (int id = 0; id < IDS; id++) {
            put(id, "n" + id % (IDS - 1));
        }
        IndexBuilds.Step end = finish(builds(1).builder(start(1)));
        assertThat(end)
                .isInstanceOfSatisfying(
                        IndexBuilds.Step.Duplicated.class,
                        found -> assertThat(found.values()[1]).isEqualTo("n0"));
    }

    @Test
    void writersRefuseDuplicatesOfRowsThatHaveEntries() {
        define(true);
        put(1, "a");
        IndexBuild build = start(1);
        IndexBuilds.Builder builder = builds(1).builder(build);
        IndexBuilds.Step _ = builder.step();
        Writer writer = new Writer();
        assertThat(writer.access.insert(new Object[] {2, "b"}))
                .isInstanceOf(TableAccess.Insertion.Inserted.class);
        assertThat(writer.access.insert(new Object[] {3, "b"}))
                .isInstanceOf(TableAccess.Insertion.Duplicate.class);
        assertThat(writer.commit()).isTrue();
        assertThat(finish(builder)).isInstanceOf(IndexBuilds.Step.Built.class);
        requireConsistent(true);
    }

    @Test
    void randomWritersAndBuilders() {
        for (int seed = 0; seed < 60; seed++) {
            random(seed);
        }
    }

    @Test
    @Tag("slow")
    void manyRandomWritersAndBuilders() {
        for (int seed = 1_000; seed < 6_000; seed++) {
            random(seed);
        }
    }

    /** Transactions that are open across steps, and builders that stop and continue. */
    private void random(int seed) {
        open();
        Random random = new Random(seed);
        define(random.nextBoolean());
        for (int id = 0; id < IDS; id += 2) {
            put(id, "n" + id);
        }
        IndexBuild build = start(1);
        long server = 1;
        IndexBuilds.Builder builder = builds(server).builder(build);
        List<Writer> open = new ArrayList<>();
        for (int round = 0; round < 400; round++) {
            switch (random.nextInt(6)) {
                case 0 -> open.add(new Writer());
                case 1, 2 -> {
                    if (!open.isEmpty()) {
                        int id = random.nextInt(IDS);
                        open.get(random.nextInt(open.size())).put(id, "n" + id);
                    }
                }
                case 3 -> {
                    if (!open.isEmpty()) {
                        open.get(random.nextInt(open.size())).remove(random.nextInt(IDS));
                    }
                }
                case 4 -> {
                    if (!open.isEmpty()) {
                        boolean _ = open.remove(random.nextInt(open.size())).commit();
                    }
                }
                default -> {
                    if (random.nextInt(10) == 0) {
                        server++;
                        for (IndexBuild left : builds(server).running()) {
                            assertThat(builds(server).takeOver(left)).isTrue();
                        }
                        builder = builds(server).builder(build);
                    }
                    IndexBuilds.Step _ = builder.step();
                }
            }
        }
        open.forEach(Writer::commit);
        assertThat(finish(builder)).as("seed %d", seed).isInstanceOf(IndexBuilds.Step.Built.class);
        requireConsistent(true);
    }
}
