package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.put;
import static petrichor.transactions.databases.Rows.scan;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryOptions.Tier;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.Database;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionMemory;
import petrichor.transactions.TransactionOptions;
import petrichor.transactions.log.RoutedStores;
import petrichor.transactions.migration.Migration;
import petrichor.transactions.migration.MigrationPhase;
import petrichor.transactions.migration.MigrationPlan;
import petrichor.transactions.migration.MigrationStatus;

/** Moves a database from store to store, for all pairs of store kinds. */
class MigrationTest {
    private static final int ROWS = 300;

    static Stream<Arguments> pairs() {
        return Stream.of(Tier.A, Tier.B)
                .flatMap(from -> Stream.of(Tier.A, Tier.B).map(to -> Arguments.of(from, to)));
    }

    private final TestTime time = new TestTime();

    @ParameterizedTest
    @MethodSource("pairs")
    void aDatabaseMovesAndComesBackWhileItIsWritten(Tier from, Tier to) {
        try (TwoStores stores = new TwoStores(from, to);
                HeldProcess process = new HeldProcess(stores)) {
            RowDatabase database = process.database();
            fill(database);
            Migration migration = database.migration();
            migration.start("other");
            for (int i = 0; i < ROWS; i += 7) {
                committed(put(database, "k" + i, i % 2 == 0 ? null : "new"));
                process.background.runOnce();
            }
            process.background.runAll();
            assertThat(status(migration).phase()).isEqualTo(MigrationPhase.READY);
            assertThat(status(migration).compared().mismatches()).isZero();
            assertThat(status(migration).compared().rows()).isGreaterThan(ROWS / 2);
            List<String> before = everything(database);
            assertThat(migration.switchStores().store()).isEqualTo("other");
            assertThat(everything(database)).isEqualTo(before);
            committed(put(database, "after", "switch"));
            process.background.runAll();
            assertThat(status(migration).phase()).isEqualTo(MigrationPhase.REVERSIBLE);
            assertThat(migration.switchStores().store()).isEqualTo("home");
            committed(put(database, "after", "return"));
            List<String> last = everything(database);
            assertThat(last).contains("after=return").hasSize(before.size() + 1);
            process.background.runAll();
            migration.end();
            process.background.runAll();
            assertThat(migration.status()).isEmpty();
            assertThat(rows(stores.other)).isZero();
            assertThat(everything(database)).isEqualTo(last);
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void anotherProcessContinuesFromEachUnit(Tier from, Tier to) {
        try (TwoStores stores = new TwoStores(from, to)) {
            int generation = 0;
            try (HeldProcess process = new HeldProcess(stores)) {
                fill(process.database());
                process.database().migration().start("other");
            }
            MigrationPhase reached = MigrationPhase.COPY;
            while (reached != MigrationPhase.READY) {
                // The former one is not closed before: it is paused, and continues late.
                try (HeldProcess next = new HeldProcess(stores)) {
                    committed(put(next.database(), "g" + generation++, "x"));
                    time.advanceMicros(2_000_000);
                    for (int tasks = 0; tasks < 30; tasks++) {
                        next.background.runOnce();
                    }
                    reached = status(next.database().migration()).phase();
                }
                assertThat(generation).isLessThan(100);
            }
            try (HeldProcess last = new HeldProcess(stores)) {
                List<String> before = everything(last.database());
                last.database().migration().switchStores();
                assertThat(everything(last.database())).isEqualTo(before);
            }
            try (HeldProcess after = new HeldProcess(stores)) {
                assertThat(everything(after.database())).hasSize(ROWS + generation);
                committed(put(after.database(), "last", "x"));
                assertThat(status(after.database().migration()).from()).isEqualTo("other");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void neitherABranchNorItsParentMoves(Tier from, Tier to) {
        try (TwoStores stores = new TwoStores(from, to);
                HeldProcess process = new HeldProcess(stores)) {
            RowDatabase database = process.database();
            committed(put(database, "a", "1"));
            process.background.runAll();
            process.databases.branch("branch", "test", OptionalLong.empty());
            assertThatThrownBy(() -> database.migration().start("other"))
                    .hasMessageContaining("has branches");
            Migration ofBranch = process.databases.open("branch").migration();
            assertThatThrownBy(() -> ofBranch.start("other")).hasMessageContaining("is a branch");
            process.databases.drop("branch");
            database.migration().start("other");
            process.background.runAll();
            assertThatThrownBy(() -> process.databases.branch("b", "test", OptionalLong.empty()))
                    .hasMessageContaining("is being moved");
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void aFormerOwnerCommitsNothingAfterTheSwitch(Tier from, Tier to) {
        try (TwoStores stores = new TwoStores(from, to);
                HeldProcess former = new HeldProcess(stores)) {
            RowDatabase old = former.database();
            fill(old);
            old.migration().start("other");
            former.background.runAll();
            try (HeldProcess next = new HeldProcess(stores)) {
                next.database().migration().switchStores();
                assertThat(put(old, "k1", "late").join())
                        .isInstanceOf(petrichor.transactions.CommitResult.Refused.class);
                former.background.runAll();
                assertThat(everything(next.database())).doesNotContain("k1=late").hasSize(ROWS);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void openTransactionsAndPastReadsSurviveTheSwitch(Tier from, Tier to) {
        try (TwoStores stores = new TwoStores(from, to);
                HeldProcess process = new HeldProcess(stores)) {
            RowDatabase database = process.database();
            fill(database);
            long past = committed(put(database, "k1", "first"));
            time.advanceMicros(1_000_000);
            committed(put(database, "k1", "second"));
            Migration migration = database.migration();
            migration.start("other");
            process.background.runAll();
            Transaction transaction = database.begin(new TransactionOptions.Optimistic(null));
            try (Snapshot open = database.snapshot()) {
                assertThat(scan(transaction, KeyRange.ALL, Direction.FORWARD)).hasSize(ROWS);
                migration.switchStores();
                committed(
                        Rows.commit(transaction, Rows.write(transaction, "k2", "in transaction")));
                process.background.runAll();
                assertThat(scan(open, KeyRange.ALL, Direction.FORWARD))
                        .contains("k1=second", "k2=value 2");
            }
            assertThat(everything(database)).contains("k2=in transaction");
            try (Snapshot then = database.snapshotAt(past)) {
                assertThat(scan(then, KeyRange.ALL, Direction.FORWARD)).contains("k1=first");
            }
            assertThat(database.allocateIds(10)).doesNotHaveDuplicates();
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void oneDifferentByteIsFoundAndRefusesTheSwitch(Tier from, Tier to) {
        for (String table : List.of("rows", "history")) {
            try (TwoStores stores = new TwoStores(from, to);
                    HeldProcess process = new HeldProcess(stores)) {
                RowDatabase database = process.database();
                fill(database);
                committed(put(database, "k7", "changed"));
                Migration migration = database.migration();
                migration.start("other");
                while (status(migration).phase() != MigrationPhase.VERIFY) {
                    process.background.runOnce();
                }
                flipOneBit(stores.other, table);
                process.background.runAll();
                assertThat(status(migration).compared().mismatches()).isEqualTo(1);
                assertThat(status(migration).compared().examples().getFirst()).startsWith(table);
                assertThatThrownBy(migration::switchStores)
                        .isInstanceOf(PetrichorException.class)
                        .hasMessageContaining("1 rows differ");
                migration.end();
                process.background.runAll();
                assertThat(everything(database)).hasSize(ROWS);
                // A store with versions cannot order the planted write, which had none.
                assertThat(rows(stores.other)).isLessThanOrEqualTo(to == Tier.B ? 1 : 0);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void aStepThatPublishesNothingIsNoDifference(Tier from, Tier to) {
        try (TwoStores stores = new TwoStores(from, to);
                HeldProcess process = new HeldProcess(stores)) {
            RowDatabase database = process.database();
            fill(database);
            Migration migration = database.migration();
            migration.start("other");
            while (status(migration).phase() != MigrationPhase.VERIFY) {
                process.background.runOnce();
            }
            time.advanceMicros(1_000);
            // A promise that no commit follows.
            database.snapshotAt(time.epochMicros()).close();
            process.background.runAll();
            assertThat(status(migration).phase()).isEqualTo(MigrationPhase.READY);
            assertThat(status(migration).compared().examples()).isEmpty();
            assertThat(migration.switchStores().store()).isEqualTo("other");
        }
    }

    @Test
    void whatCannotBeMovedIsRefused() {
        try (TwoStores stores = new TwoStores(Tier.A, Tier.A);
                HeldProcess process = new HeldProcess(stores)) {
            Migration migration = process.database().migration();
            assertThatThrownBy(() -> migration.start("nowhere"))
                    .hasMessageContaining("no store nowhere; it has home, other");
            assertThatThrownBy(() -> migration.start("home")).hasMessageContaining("already");
            assertThatThrownBy(migration::switchStores)
                    .hasMessageContaining("is not being migrated");
            fill(process.database());
            MigrationPlan plan = migration.plan("other");
            assertThat(plan.problems()).isEmpty();
            assertThat(plan.rows()).isGreaterThanOrEqualTo(ROWS);
            assertThat(migration.plan("home").problems()).hasSize(1);
            migration.start("other");
            assertThatThrownBy(() -> migration.start("other"))
                    .hasMessageContaining("being migrated already");
            assertThatThrownBy(migration::switchStores).hasMessageContaining("phase COPY");
            assertThatThrownBy(() -> process.databases.drop("test"))
                    .hasMessageContaining("another store");
        }
    }

    @Test
    void aPausedMigrationMakesNoProgress() {
        try (TwoStores stores = new TwoStores(Tier.A, Tier.B);
                HeldProcess process = new HeldProcess(stores)) {
            fill(process.database());
            Migration migration = process.database().migration();
            migration.start("other");
            migration.pause(true);
            process.background.runAll();
            assertThat(status(migration).phase()).isEqualTo(MigrationPhase.COPY);
            migration.pause(false);
            process.background.runAll();
            assertThat(status(migration).phase()).isEqualTo(MigrationPhase.READY);
        }
    }

    @Test
    void aStoreThatStaysBehindIsGivenUp() {
        try (TwoStores stores = new TwoStores(Tier.A, Tier.A);
                HeldProcess process = new HeldProcess(stores)) {
            RowDatabase database = process.database();
            fill(database);
            Migration migration = database.migration();
            migration.start("other");
            process.background.runAll();
            migration.pause(true);
            time.advanceMicros(
                    TransactionLimits.DEFAULT.consumerHold().toNanos() / 1_000 + 1_000_000);
            committed(put(database, "late", "x"));
            database.tidy();
            assertThat(status(migration).phase()).isEqualTo(MigrationPhase.STOPPED);
            migration.end();
            process.background.runAll();
            assertThat(migration.status()).isEmpty();
        }
    }

    @Test
    void aServerWithoutTheStoreDoesNotServeTheOldRows() {
        try (TwoStores stores = new TwoStores(Tier.A, Tier.A)) {
            try (HeldProcess process = new HeldProcess(stores)) {
                fill(process.database());
                process.database().migration().start("other");
                process.background.runAll();
                process.database().migration().switchStores();
            }
            try (RowDatabases without = new RowDatabases(stores.home)) {
                assertThatThrownBy(() -> without.open("test"))
                        .hasMessageContaining("no store other");
            }
        }
    }

    private void fill(Database database) {
        for (int i = 0; i < ROWS; i++) {
            committed(put(database, "k" + i, "value " + i));
        }
    }

    private static MigrationStatus status(Migration migration) {
        return migration.status().orElseThrow();
    }

    private static List<String> everything(Database database) {
        try (Snapshot snapshot = database.snapshot()) {
            return scan(snapshot, KeyRange.ALL, Direction.FORWARD);
        }
    }

    private static int rows(KeyValueStore store) {
        int rows = 0;
        try (Scan scan = store.scan("rows", KeyRange.ALL, Direction.FORWARD, Integer.MAX_VALUE)) {
            while (scan.next()) {
                rows++;
            }
        }
        return rows;
    }

    private static void flipOneBit(KeyValueStore store, String table) {
        List<byte[]> found = new ArrayList<>();
        try (Scan scan = store.scan(table, KeyRange.ALL, Direction.FORWARD, 1)) {
            while (scan.next()) {
                found.add(scan.key());
                byte[] value = scan.value().clone();
                value[value.length - 1] ^= 1;
                found.add(value);
            }
        }
        assertThat(found).hasSize(2);
        store.write(new WriteBatch().put(table, found.getFirst(), found.getLast()));
    }

    /** The stores outlive the processes. */
    private static final class TwoStores implements AutoCloseable {
        final MemoryStore home;
        final MemoryStore other;

        TwoStores(Tier from, Tier to) {
            home = MemoryStore.open(MemoryOptions.DEFAULT.withTier(from).withoutViews());
            other = MemoryStore.open(MemoryOptions.DEFAULT.withTier(to).withoutViews());
        }

        @Override
        public void close() {
            home.close();
            other.close();
        }
    }

    /** A process whose background tasks run on request. */
    private final class HeldProcess implements AutoCloseable {
        final HeldScheduler background = new HeldScheduler(time);
        final RowDatabases databases;

        HeldProcess(TwoStores stores) {
            databases =
                    new RowDatabases(
                            RoutedStores.of(stores.home),
                            new NamedStores(Map.of("other", () -> stores.other)),
                            TransactionLimits.DEFAULT,
                            TransactionMemory.unlimited(),
                            new RowDatabases.Surroundings(
                                    time,
                                    new SplittableRandom(System.identityHashCode(this)),
                                    background));
        }

        RowDatabase database() {
            return databases.open("test");
        }

        @Override
        public void close() {
            databases.close();
        }
    }
}
