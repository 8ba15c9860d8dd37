package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.transactions.databases.Rows.bytes;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.put;
import static petrichor.transactions.databases.Rows.range;
import static petrichor.transactions.databases.Rows.scan;
import static petrichor.transactions.databases.Rows.text;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryOptions.Tier;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Placement;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionOptions;
import petrichor.transactions.log.RoutedStores;
import petrichor.transactions.scheduling.Scheduler;

/** A database with some of its rows in a second store, for all pairs of store kinds. */
class PlacedDatabaseTest {
    private static final String RULE = "p*=photos";

    /** Rows whose key begins with p are in the other store. */
    private static final Placement PLACEMENT =
            new Placement() {
                @Override
                public int storeOf(byte[] key) {
                    return key.length > 0 && key[0] == 'p' ? 1 : HOME;
                }

                @Override
                public boolean mayHold(int store, KeyRange keys) {
                    return store == HOME || keys.to() == null || !keys.contains(bytes("o"));
                }
            };

    static Stream<Arguments> pairs() {
        return Stream.of(Tier.A, Tier.B)
                .flatMap(
                        home ->
                                Stream.of(Tier.A, Tier.B)
                                        .map(photos -> Arguments.of(home, photos)));
    }

    private final TestTime time = new TestTime();

    private static MemoryStore store(Tier tier) {
        return MemoryStore.open(MemoryOptions.DEFAULT.withTier(tier).withoutViews());
    }

    private static RoutedStores placed(KeyValueStore home, KeyValueStore photos) {
        return new RoutedStores(
                home, List.of(new RoutedStores.Other("photos", photos)), PLACEMENT, RULE);
    }

    private RowDatabases open(RoutedStores stores, Scheduler behind, long seed) {
        return new RowDatabases(
                stores, TransactionLimits.DEFAULT, time, new SplittableRandom(seed), behind);
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void oneTransactionSpansBothStores(Tier homeTier, Tier photosTier) {
        try (MemoryStore home = store(homeTier);
                MemoryStore photos = store(photosTier);
                HeldDatabases held = new HeldDatabases(placed(home, photos))) {
            Database database = held.databases.open("test");
            Transaction transaction = database.begin(new TransactionOptions.Optimistic(null));
            committed(
                    Rows.commit(
                            transaction,
                            Rows.write(transaction, "a", "1"),
                            Rows.write(transaction, "p1", "1"),
                            Rows.write(transaction, "z", "1")));
            assertThat(everything(database)).containsExactly("a=1", "p1=1", "z=1");
            assertThat(rows(home) + rows(photos)).isZero();
            held.background.runAll();
            assertThat(everything(database)).containsExactly("a=1", "p1=1", "z=1");
            assertThat(rows(home)).isEqualTo(2);
            assertThat(rows(photos)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void aBranchHasTheRowsOfBoth(Tier homeTier, Tier photosTier) {
        try (MemoryStore home = store(homeTier);
                MemoryStore photos = store(photosTier);
                RowDatabases databases = new RowDatabases(placed(home, photos))) {
            Database database = databases.open("test");
            for (String key : List.of("a", "p1", "p2", "z")) {
                committed(put(database, key, "1"));
            }
            databases.branch("branch", "test", OptionalLong.empty());
            Database branch = databases.open("branch");
            committed(put(branch, "p1", null));
            committed(put(branch, "p3", "branch"));
            committed(put(database, "p2", "parent"));
            assertThat(everything(branch)).containsExactly("a=1", "p2=1", "p3=branch", "z=1");
            databases.drop("branch");
            assertThat(everything(database)).containsExactly("a=1", "p1=1", "p2=parent", "z=1");
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void anOlderVersionIsReadFromTheHistoryOfBoth(Tier homeTier, Tier photosTier) {
        try (MemoryStore home = store(homeTier);
                MemoryStore photos = store(photosTier);
                HeldDatabases held = new HeldDatabases(placed(home, photos))) {
            Database database = held.databases.open("test");
            committed(put(database, "a", "1"));
            committed(put(database, "p1", "1"));
            committed(put(database, "p2", "1"));
            held.background.runAll();
            try (Snapshot before = database.snapshot()) {
                committed(put(database, "p1", "2"));
                committed(put(database, "p2", null));
                committed(put(database, "a", "2"));
                held.background.runAll();
                held.databases.ownWhile(_ -> false);
                assertThat(scan(before, KeyRange.ALL, Direction.REVERSE))
                        .containsExactly("p2=1", "p1=1", "a=1");
                assertThat(text(before.get(bytes("p2")))).isEqualTo("1");
                assertThat(before.get(List.of(bytes("p1"), bytes("a"), bytes("x"))))
                        .extracting(Rows::text)
                        .containsExactly("1", "1", null);
                assertThat(scan(before, range("p", "q"), Direction.FORWARD))
                        .containsExactly("p1=1", "p2=1");
            }
            assertThat(everything(database)).containsExactly("a=2", "p1=2");
            assertThat(historyRows(photos)).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void theNextOwnerAppliesUnappliedCommits(Tier homeTier, Tier photosTier) {
        try (MemoryStore home = store(homeTier);
                MemoryStore photos = store(photosTier);
                HeldDatabases former = new HeldDatabases(placed(home, photos));
                HeldDatabases next = new HeldDatabases(placed(home, photos))) {
            Database old = former.databases.open("test");
            committed(put(old, "a", "1"));
            committed(put(old, "p1", "1"));
            long last = committed(put(old, "p1", "2"));
            Database database = next.databases.open("test");
            assertThat(everything(database)).containsExactly("a=1", "p1=2");
            assertThat(committed(put(database, "p1", null))).isGreaterThan(last);
            assertThat(put(old, "p1", "3").join()).isInstanceOf(CommitResult.Refused.class);
            next.background.runAll();
            // Late writes of the former owner: all of them are older than the stored rows.
            former.background.runAll();
            assertThat(everything(database)).containsExactly("a=1");
            assertThat(rows(photos)).isZero();
            committed(put(database, "p1", "5"));
            next.background.runAll();
            assertThat(rows(photos)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void aDroppedDatabaseLeavesNoRowsInEither(Tier homeTier, Tier photosTier) {
        try (MemoryStore home = store(homeTier);
                MemoryStore photos = store(photosTier);
                HeldDatabases held = new HeldDatabases(placed(home, photos))) {
            Database database = held.databases.open("test");
            committed(put(database, "a", "1"));
            committed(put(database, "p1", "1"));
            committed(put(database, "p1", "2"));
            held.background.runAll();
            held.databases.drop("test");
            assertThat(held.databases.names()).isEmpty();
            assertThat(rows(home) + rows(photos) + historyRows(photos)).isZero();
            Database again = held.databases.open("test");
            assertThat(everything(again)).isEmpty();
            committed(put(again, "p1", "1"));
            assertThat(everything(again)).containsExactly("p1=1");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"A", "B"})
    void aFollowerReadsBoth(Tier homeTier) {
        try (MemoryStore home = store(homeTier);
                MemoryStore photos = store(Tier.B);
                RowDatabases databases = new RowDatabases(placed(home, photos))) {
            RowDatabase database = databases.open("test");
            committed(put(database, "a", "1"));
            committed(put(database, "p1", "1"));
            Database follower =
                    new FollowerDatabase(
                            "test",
                            databases.storedRows(),
                            databases.lineage(),
                            database::share,
                            petrichor.base.TimeSource.SYSTEM);
            assertThat(everything(follower)).containsExactly("a=1", "p1=1");
        }
    }

    @Test
    void aPlacementOtherThanThatOfTheDatabaseIsRefused() {
        try (MemoryStore home = store(Tier.A);
                MemoryStore photos = store(Tier.B)) {
            try (RowDatabases placed = new RowDatabases(placed(home, photos))) {
                placed.open("test");
            }
            assertThatThrownBy(() -> new RowDatabases(home))
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("database test was created with another placement")
                    .hasMessageContaining(RULE)
                    .hasMessageContaining("export");
            try (RowDatabases placed = new RowDatabases(placed(home, photos))) {
                placed.drop("test");
            }
            try (RowDatabases alone = new RowDatabases(home)) {
                alone.open("test");
            }
            assertThatThrownBy(() -> new RowDatabases(placed(home, photos)))
                    .hasMessageContaining("it has none");
        }
    }

    @Test
    void aStoreOfAnotherHomeIsRefused() {
        try (MemoryStore home = store(Tier.A);
                MemoryStore otherHome = store(Tier.B);
                MemoryStore photos = store(Tier.B)) {
            try (RowDatabases placed = new RowDatabases(placed(home, photos))) {
                placed.open("test");
            }
            assertThatThrownBy(() -> new RowDatabases(placed(otherHome, photos)))
                    .hasMessageContaining("\"photos\"")
                    .hasMessageContaining("belongs to another home");
            assertThatThrownBy(() -> new RowDatabases(photos))
                    .hasMessageContaining("whose home is another store");
            assertThatThrownBy(() -> new RowDatabases(placed(otherHome, home)))
                    .hasMessageContaining("it is the home of other");
        }
    }

    @Test
    void anEmptyStoreInPlaceOfTheOriginalIsRefused() {
        try (MemoryStore home = store(Tier.A);
                MemoryStore photos = store(Tier.B);
                MemoryStore empty = store(Tier.B)) {
            try (RowDatabases placed = new RowDatabases(placed(home, photos))) {
                committed(put(placed.open("test"), "p", "1"));
            }
            assertThatThrownBy(() -> new RowDatabases(placed(home, empty)))
                    .hasMessageContaining("created with another placement");
        }
    }

    @Test
    void theBacklogOfTheOtherStoreIsBoundedAndTheErrorNamesTheStore() {
        WatchedStore photos = new WatchedStore();
        HeldScheduler background = new HeldScheduler(time);
        TransactionLimits impatient =
                TransactionLimits.DEFAULT.withUnapplied(2_000, Duration.ofMillis(50));
        try (MemoryStore home = store(Tier.A);
                RowDatabases databases =
                        new RowDatabases(
                                placed(home, photos),
                                impatient,
                                time,
                                new SplittableRandom(1),
                                background)) {
            Database database = databases.open("test");
            photos.rowsFail = true;
            committed(put(database, "p", "v".repeat(2_000)));
            background.runOnce();
            assertThat(put(database, "a", "1").join())
                    .isInstanceOfSatisfying(
                            CommitResult.Refused.class,
                            refused ->
                                    assertThat(refused.reason())
                                            .hasMessageContaining("The store is away."));
            photos.rowsFail = false;
            background.runAll();
            committed(put(database, "a", "1"));
        }
    }

    @Test
    void commitsContinueWhileTheOtherStoreIsUnreachable() {
        WatchedStore photos = new WatchedStore();
        try (MemoryStore home = store(Tier.A);
                HeldDatabases held = new HeldDatabases(placed(home, photos))) {
            Database database = held.databases.open("test");
            committed(put(database, "p", "1"));
            photos.rowsFail = true;
            held.background.runOnce();
            committed(put(database, "p", "2"));
            committed(put(database, "a", "2"));
            assertThat(everything(database)).containsExactly("a=2", "p=2");
            photos.rowsFail = false;
            held.background.runAll();
            assertThat(everything(database)).containsExactly("a=2", "p=2");
            assertThat(rows(photos)).isEqualTo(1);
        }
    }

    private static List<String> everything(Database database) {
        try (Snapshot snapshot = database.snapshot()) {
            return scan(snapshot, KeyRange.ALL, Direction.FORWARD);
        }
    }

    private static int rows(KeyValueStore store) {
        return count(store, "rows");
    }

    private static int historyRows(KeyValueStore store) {
        return count(store, "history");
    }

    private static int count(KeyValueStore store, String table) {
        int rows = 0;
        try (Scan scan = store.scan(table, KeyRange.ALL, Direction.FORWARD, Integer.MAX_VALUE)) {
            while (scan.next()) {
                rows++;
            }
        }
        return rows;
    }

    /** A process that applies commits to the stores on request. */
    private final class HeldDatabases implements AutoCloseable {
        final HeldScheduler background = new HeldScheduler(time);
        final RowDatabases databases;

        HeldDatabases(RoutedStores stores) {
            databases = open(stores, background, System.identityHashCode(this));
        }

        @Override
        public void close() {
            databases.close();
        }
    }
}
