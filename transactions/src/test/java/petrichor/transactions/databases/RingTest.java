package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.put;
import static petrichor.transactions.databases.Rows.range;
import static petrichor.transactions.databases.Rows.scan;

import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.Database;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionOptions;
import petrichor.transactions.ring.Ring;
import petrichor.transactions.ring.RingMap;
import petrichor.transactions.ring.RingStatus;

/** Ranges of a database in several stores, which move while it is used. */
class RingTest {
    private static final int ROWS = 600;
    private static final KeyRange KEYS = range("k", "l");

    private final TestTime time = new TestTime();

    @Test
    void rangesAreDividedMovedAndDrained() {
        try (RingStores stores = new RingStores("a", "b", "c");
                RingProcess process = new RingProcess(stores, time)) {
            RowDatabase database = process.database();
            fill(database);
            long past = committed(put(database, "outside", "x"));
            time.advanceMicros(1_000_000);
            List<String> before = everything(database);
            Ring ring = database.ring();
            ring.create(List.of("a", "b"));
            assertThat(everything(database)).isEqualTo(before);
            ring.cover(List.of(KEYS));
            process.background.runAll();
            assertThat(everything(database)).isEqualTo(before);
            assertThat(status(ring).settled()).isTrue();
            assertThat(stores.rows("home")).isEqualTo(1);
            assertThat(stores.rows("a")).isBetween(ROWS * 45L / 100, ROWS * 55L / 100);
            assertThat(stores.rows("b")).isBetween(ROWS * 45L / 100, ROWS * 55L / 100);

            committed(put(database, "k1", "changed"));
            committed(put(database, "k2", null));
            ring.add("c");
            process.background.runAll();
            assertThat(status(ring).settled()).isTrue();
            assertThat(stores.rows("c")).isBetween(ROWS * 30L / 100, ROWS * 37L / 100);
            List<String> changed = everything(database);
            assertThat(changed).contains("k1=changed").hasSize(ROWS);
            try (Snapshot then = database.snapshotAt(past)) {
                assertThat(scan(then, KeyRange.ALL, Direction.FORWARD)).isEqualTo(before);
                assertThat(scan(then, KeyRange.ALL, Direction.REVERSE))
                        .isEqualTo(before.reversed());
            }

            ring.remove("a");
            process.background.runAll();
            assertThat(status(ring).members())
                    .extracting(RingStatus.Member::store)
                    .containsExactly("b", "c");
            assertThat(stores.rows("a")).isZero();
            assertThat(stores.history("a")).isZero();
            assertThat(everything(database)).isEqualTo(changed);
            try (Snapshot then = database.snapshotAt(past)) {
                assertThat(scan(then, KeyRange.ALL, Direction.FORWARD)).isEqualTo(before);
            }
        }
    }

    @Test
    void anewMemberGetsLittleMoreThanItsShare() {
        try (RingStores stores = new RingStores("a", "b", "c", "d");
                RingProcess process = new RingProcess(stores, time)) {
            RowDatabase database = process.database();
            fill(database);
            Ring ring = database.ring();
            ring.create(List.of("a", "b", "c"));
            ring.cover(List.of(KEYS));
            process.background.runAll();
            long before = status(ring).moved().bytes();
            long total =
                    status(ring).members().stream().mapToLong(m -> stores.bytes(m.store())).sum();
            ring.add("d");
            process.background.runAll();
            double moved = status(ring).moved().bytes() - before;
            assertThat(moved / (total / 4.0))
                    .as("%s of %s bytes; %s", moved, total, status(ring))
                    .isBetween(0.85, 1.2);
        }
    }

    @Test
    void openReadersAndTransactionsSurviveAMove() {
        try (RingStores stores = new RingStores("a", "b");
                RingProcess process = new RingProcess(stores, time)) {
            RowDatabase database = process.database();
            fill(database);
            Ring ring = database.ring();
            ring.create(List.of("a", "b"));
            ring.cover(List.of(KEYS));
            process.background.runAll();
            Transaction transaction = database.begin(new TransactionOptions.Optimistic(null));
            List<String> before = everything(database);
            try (Snapshot open = database.snapshot()) {
                assertThat(scan(transaction, range("k2", "k3"), Direction.FORWARD)).isNotEmpty();
                ring.move(KEYS, "a");
                process.background.runAll();
                assertThat(status(ring).formerRanges()).isEqualTo(1);
                assertThat(status(ring).ranges())
                        .extracting(RingMap.Range::store)
                        .containsExactly("a");
                committed(put(database, "k5", "later"));
                committed(Rows.commit(transaction, Rows.write(transaction, "k2", "mine")));
                process.background.runAll();
                assertThat(scan(open, KeyRange.ALL, Direction.FORWARD)).isEqualTo(before);
                // Kept for the reader.
                assertThat(stores.rows("b")).isPositive();
            }
            ring.tidy();
            process.background.runAll();
            assertThat(status(ring).settled()).isTrue();
            assertThat(stores.rows("b")).isZero();
            assertThat(everything(database)).contains("k2=mine", "k5=later").hasSize(ROWS);
        }
    }

    @Test
    void anotherProcessContinuesFromEachUnit() {
        try (RingStores stores = new RingStores("a", "b")) {
            try (RingProcess process = new RingProcess(stores, time)) {
                fill(process.database());
                process.database().ring().create(List.of("a", "b"));
                process.database().ring().cover(List.of(KEYS));
            }
            int generation = 0;
            boolean settled = false;
            while (!settled) {
                try (RingProcess next = new RingProcess(stores, time)) {
                    committed(put(next.database(), "kg" + generation++, "x"));
                    time.advanceMicros(2_000_000);
                    // Enough to change the sizes: the ring is measured again.
                    int tasksMax = generation % 4 == 0 ? 60 : 3;
                    for (int tasks = 0; tasks < tasksMax; tasks++) {
                        next.background.runOnce();
                    }
                    assertThat(everything(next.database())).hasSize(ROWS + generation);
                    settled = status(next.database().ring()).settled();
                }
                assertThat(generation).isLessThan(400);
            }
            assertThat(stores.rows("home")).isZero();
            assertThat(stores.rows("a") + stores.rows("b")).isEqualTo(ROWS + generation);
        }
    }

    @Test
    void aCancelledMoveLeavesTheRowsWhereTheyWere() {
        try (RingStores stores = new RingStores("a", "b");
                RingProcess process = new RingProcess(stores, time)) {
            RowDatabase database = process.database();
            fill(database);
            Ring ring = database.ring();
            ring.create(List.of("a", "b"));
            ring.cover(List.of(KEYS));
            process.background.runAll();
            long a = stores.rows("a");
            ring.move(KEYS, "a");
            while (status(ring).move().isEmpty()) {
                process.background.runOnce();
            }
            process.background.runOnce();
            ring.cancel();
            process.background.runAll();
            assertThat(stores.rows("a")).isEqualTo(a);
            assertThat(status(ring).settled()).isTrue();
            assertThat(everything(database)).hasSize(ROWS);
        }
    }

    @Test
    void aLateCopierOfAFormerOwnerLeavesNothing() {
        try (RingStores stores = new RingStores("a", "b");
                RingProcess former = new RingProcess(stores, time)) {
            fill(former.database());
            former.database().ring().create(List.of("a", "b"));
            former.database().ring().cover(List.of(KEYS));
            former.background.runAll();
            long b = stores.rows("b");
            former.database().ring().move(KEYS, "b");
            while (status(former.database().ring()).move().isEmpty()) {
                former.background.runOnce();
            }
            try (RingProcess next = new RingProcess(stores, time)) {
                next.database().ring().cancel();
                next.background.runAll();
                assertThat(status(next.database().ring()).settled()).isTrue();
                for (int i = 0; i < 10; i++) {
                    former.background.runOnce();
                }
                assertThat(stores.rows("b")).isEqualTo(b);
                assertThat(everything(next.database())).hasSize(ROWS);
            }
        }
    }

    @Test
    void aRangeThatDiffersIsNotSwitched() {
        try (RingStores stores = new RingStores("a", "b");
                RingProcess process = new RingProcess(stores, time)) {
            RowDatabase database = process.database();
            fill(database);
            Ring ring = database.ring();
            ring.create(List.of("a", "b"));
            ring.cover(List.of(KEYS));
            process.background.runAll();
            List<String> before = everything(database);
            ring.move(KEYS, "a");
            while (!status(ring).move().map(move -> move.phase().equals("VERIFY")).orElse(false)) {
                process.background.runOnce();
            }
            stores.flipLastBit("a", status(ring).move().orElseThrow().keys());
            process.background.runAll();
            assertThat(status(ring).moved().abandoned()).isEqualTo(1);
            assertThat(status(ring).problem().orElseThrow()).contains("its rows differ");
            assertThat(status(ring).ranges()).hasSize(2);
            assertThat(everything(database)).isEqualTo(before);
        }
    }

    @Test
    void aMemberThatCouldNotLeaveIsShown() {
        try (RingStores stores = new RingStores("a", "b")) {
            try (RingProcess process = new RingProcess(stores, time)) {
                fill(process.database());
                Ring ring = process.database().ring();
                ring.create(List.of("a", "b"));
                ring.cover(List.of(KEYS));
                process.background.runAll();
                ring.remove("b");
                while (!status(ring)
                        .move()
                        .map(move -> move.phase().equals("VERIFY"))
                        .orElse(false)) {
                    process.background.runOnce();
                }
                stores.flipLastBit("a", status(ring).move().orElseThrow().keys());
                process.background.runAll();
                assertThat(status(ring).settled()).isFalse();
                assertThat(status(ring).problem().orElseThrow()).contains("its rows differ");
            }
            try (RingProcess next = new RingProcess(stores, time)) {
                Ring ring = next.database().ring();
                next.background.runAll();
                assertThat(status(ring).settled()).isFalse();
                assertThat(status(ring).problem().orElseThrow())
                        .contains("The store b is leaving and still has ranges");
                ring.remove("b");
                next.background.runAll();
                assertThat(status(ring).settled()).isTrue();
                assertThat(status(ring).problem()).isEmpty();
                assertThat(stores.rows("b")).isZero();
                assertThat(everything(next.database())).hasSize(ROWS);
            }
        }
    }

    @Test
    void requestsDoNotBreakADatabaseWithAnUnreachableMember() {
        try (RingStores stores = new RingStores("a", "b")) {
            FaultyStore b = new FaultyStore(stores.store("b"));
            stores.stores.put("b", b);
            try (RingProcess process = new RingProcess(stores, time)) {
                RowDatabase database = process.database();
                fill(database);
                Ring ring = database.ring();
                ring.create(List.of("a", "b"));
                ring.cover(List.of(KEYS));
                process.background.runAll();
                b.readsFail = true;
                assertThatThrownBy(() -> ring.rebalance(false))
                        .hasMessageContaining("cannot be read");
                b.readsFail = false;
                b.fault = FaultyStore.Fault.READ_ONLY;
                for (int i = 0; i < 20; i++) {
                    committed(put(database, "k" + i, "changed"));
                }
                for (int i = 0; i < 5; i++) {
                    process.background.runOnce();
                }
                assertThatThrownBy(() -> ring.rebalance(false))
                        .hasMessageContaining("too slow or unreachable");
                committed(put(database, "k0", "again"));
                b.fault = FaultyStore.Fault.NONE;
                process.background.runAll();
                ring.rebalance(false);
                process.background.runAll();
                assertThat(everything(database)).contains("k0=again").hasSize(ROWS);
            }
        }
    }

    @Test
    void requestsMoveLoadedRangesOnRequest() {
        try (RingStores stores = new RingStores("a", "b");
                RingProcess process = new RingProcess(stores, time)) {
            RowDatabase database = process.database();
            fill(database);
            Ring ring = database.ring();
            ring.create(List.of("a", "b"));
            ring.cover(List.of(KEYS));
            process.background.runAll();
            String hot = status(ring).ranges().getFirst().store();
            long before = stores.rows(hot);
            // All requests are in a part of the first range.
            for (int i = 0; i < 3_000; i++) {
                committed(put(database, "k" + (100 + i % 100), "value " + i));
                process.background.runOnce();
            }
            ring.rebalance(true);
            process.background.runAll();
            assertThat(status(ring).moved().ranges()).isGreaterThan(1);
            assertThat(stores.rows(hot)).isNotEqualTo(before);
            assertThat(everything(database)).hasSize(ROWS);
        }
    }

    @Test
    void whatARingCannotDoIsRefused() {
        try (RingStores stores = new RingStores("a", "b");
                RingProcess process = new RingProcess(stores, time)) {
            RowDatabase database = process.database();
            Ring ring = database.ring();
            assertThat(ring.status()).isEmpty();
            assertThatThrownBy(() -> ring.rebalance(false)).hasMessageContaining("has no ring");
            assertThatThrownBy(() -> ring.create(List.of("x")))
                    .hasMessageContaining("no store x; it has home, a, b");
            assertThatThrownBy(() -> ring.create(List.of("a", "a")))
                    .hasMessageContaining("different stores");
            assertThatThrownBy(() -> ring.create(List.of())).hasMessageContaining("1 to 64");
            assertThatThrownBy(() -> ring.create(List.of("ring")))
                    .hasMessageContaining("no store ring");
            ring.create(List.of("a"));
            assertThatThrownBy(() -> ring.create(List.of("a")))
                    .hasMessageContaining("has a ring already");
            assertThatThrownBy(() -> ring.remove("b")).hasMessageContaining("not in the ring");
            assertThatThrownBy(() -> ring.remove("a")).hasMessageContaining("the last one");
            assertThatThrownBy(() -> ring.move(KEYS, "b")).hasMessageContaining("not in the ring");
            assertThatThrownBy(() -> database.migration().start("a"))
                    .hasMessageContaining("has a ring");
            assertThatThrownBy(() -> ring.add("a")).hasMessageContaining("different stores");
        }
    }

    @Test
    void branchesAndRingsExcludeEachOther() {
        try (RingStores stores = new RingStores("a", "b");
                RingProcess process = new RingProcess(stores, time)) {
            fill(process.database());
            var _ = process.databases.branch("copy", "test", OptionalLong.empty());
            assertThatThrownBy(() -> process.database().ring().create(List.of("a", "b")))
                    .hasMessageContaining("has branches")
                    .hasMessageContaining("copy");
            assertThatThrownBy(() -> process.databases.open("copy").ring().create(List.of("a")))
                    .hasMessageContaining("is a branch");
            process.databases.drop("copy");
            process.database().ring().create(List.of("a", "b"));
            assertThatThrownBy(() -> process.databases.branch("copy", "test", OptionalLong.empty()))
                    .hasMessageContaining("has a ring and cannot be branched");
        }
    }

    /** Of a branch that was decided when the ring was. */
    @Test
    void nothingLeavesTheHomeOfADatabaseWithBranches() {
        try (RingStores stores = new RingStores("a", "b");
                RingProcess process = new RingProcess(stores, time)) {
            RowDatabase database = process.database();
            fill(database);
            database.ring().create(List.of("a", "b"));
            Catalog catalog = Catalog.of(stores.home());
            var _ =
                    catalog.create(
                            "copy", 7, "", new Catalog.Origin(1, time.epochMicros(), "test"));
            assertThatThrownBy(() -> database.ring().cover(List.of(KEYS)))
                    .hasMessageContaining("has branches");
            process.background.runAll();
            assertThat(stores.rows("home")).isEqualTo(ROWS);
        }
    }

    @Test
    void aDroppedDatabaseLeavesNothingInAnyStore() {
        try (RingStores stores = new RingStores("a", "b");
                RingProcess process = new RingProcess(stores, time)) {
            RowDatabase database = process.database();
            fill(database);
            database.ring().create(List.of("a", "b"));
            database.ring().cover(List.of(KEYS));
            process.background.runAll();
            process.databases.drop("test");
            assertThat(stores.rows("a") + stores.rows("b") + stores.rows("home")).isZero();
            assertThat(process.databases.names()).isEmpty();
            assertThat(everything(process.database())).isEmpty();
        }
    }

    private void fill(Database database) {
        for (int i = 0; i < ROWS; i++) {
            committed(put(database, "k" + i, "value " + i));
        }
    }

    private static RingStatus status(Ring ring) {
        return ring.status().orElseThrow();
    }

    private static List<String> everything(Database database) {
        try (Snapshot snapshot = database.snapshot()) {
            return scan(snapshot, KeyRange.ALL, Direction.FORWARD);
        }
    }
}
