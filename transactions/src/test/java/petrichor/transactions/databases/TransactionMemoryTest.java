package petrichor.transactions.databases;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.put;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionMemory;
import petrichor.transactions.TransactionOptions;
import petrichor.transactions.log.RoutedStores;

/**
 * Read sets, waiting and unapplied commits, and conflict windows of all databases share one budget.
 */
class TransactionMemoryTest {
    private static final int DATABASES = 10;
    private static final String VALUE = "v".repeat(20_000);

    /** Of one database; the share is smaller. */
    private static final int COMMITS = 60;

    /** With ten times the memory of the process. */
    private static final int TRANSACTIONS_MAX = 400;

    private static final long WAIT_SECONDS_MAX = 60;

    private final TestTime time = new TestTime();
    private final MemoryBudget process = MemoryBudget.of("process", 8 << 20);
    private final TransactionMemory memory = TransactionMemory.of(process);

    @Test
    void readSetsShareABoundAndReturnTheirMemory() {
        try (MemoryStore store = MemoryStore.open();
                RowDatabases databases =
                        new RowDatabases(
                                RoutedStores.of(store), TransactionLimits.DEFAULT, memory)) {
            RowDatabase database = databases.open("one");
            List<Transaction> open = new ArrayList<>();
            assertThatThrownBy(
                            () -> {
                                for (int i = 0; i < TRANSACTIONS_MAX; i++) {
                                    Transaction transaction =
                                            database.begin(new TransactionOptions.Optimistic(null));
                                    open.add(transaction);
                                    read(transaction, 100);
                                }
                            })
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            refused ->
                                    assertThat(refused.code())
                                            .isEqualTo(ErrorCode.RESOURCE_EXHAUSTED))
                    .hasMessageContaining("server.memory-percent");
            assertThat(open).hasSizeGreaterThan(3);
            assertThat(memory.readSets().bytesUsed()).isPositive();
            open.forEach(Transaction::rollback);
            assertThat(memory.readSets().bytesUsed()).isZero();
            Transaction next = database.begin(new TransactionOptions.Optimistic(null));
            read(next, 100);
            next.rollback();
        }
        assertThat(process.bytesUsed()).isZero();
    }

    @Test
    void theWindowsOfManyDatabasesStayWithinTheirShare() {
        try (MemoryStore store = MemoryStore.open();
                RowDatabases databases =
                        new RowDatabases(
                                RoutedStores.of(store), TransactionLimits.DEFAULT, memory)) {
            for (int i = 0; i < 10; i++) {
                RowDatabase database = databases.open("database" + i);
                for (int commit = 0; commit < 20; commit++) {
                    List<RowWrite> writes = new ArrayList<>();
                    for (int row = 0; row < 100; row++) {
                        writes.add(new RowWrite(key(commit * 1_000 + row), new byte[1], null));
                    }
                    Transaction transaction =
                            database.begin(new TransactionOptions.Optimistic(null));
                    transaction.commit(List.of(), writes).join();
                }
                assertThat(memory.caches().bytesUsed())
                        .isLessThanOrEqualTo(memory.caches().bytesMax());
            }
            assertThat(memory.caches().bytesUsed()).isPositive();
            assertThat(memory.queued().bytesUsed()).isZero();
        }
        assertThat(process.bytesUsed()).isZero();
    }

    /** Enough databases and commits to exceed the share of unapplied commits many times. */
    @Test
    void commitsOfAllDatabasesWaitForMemoryWhileTheStoreAppliesNothing() throws Exception {
        WatchedStore store = new WatchedStore();
        HeldScheduler behind = new HeldScheduler(time);
        try (RowDatabases databases = logged(store, behind)) {
            store.rowsFail = true;
            List<CompletableFuture<Void>> writers = new ArrayList<>();
            for (int i = 0; i < DATABASES; i++) {
                RowDatabase database = databases.open("database" + i);
                writers.add(
                        CompletableFuture.runAsync(
                                () -> {
                                    for (int commit = 0; commit < COMMITS; commit++) {
                                        committed(put(database, "row" + commit, VALUE));
                                    }
                                },
                                Thread::startVirtualThread));
            }
            awaitThat(() -> behind.deadlines() == DATABASES || anyDone(writers));
            assertThat(writers).noneMatch(CompletableFuture::isDone);
            behind.runOnce();
            assertThat(memory.unapplied().bytesUsed())
                    .isGreaterThan(memory.unapplied().bytesMax() / 2)
                    .isLessThanOrEqualTo(memory.unapplied().bytesMax());
            assertThat(memory.queued().bytesUsed())
                    .as("with one unapplied commit of each database, and one that waits")
                    .isLessThanOrEqualTo(memory.queued().bytesMax());
            store.rowsFail = false;
            CompletableFuture<Void> all =
                    CompletableFuture.allOf(writers.toArray(CompletableFuture[]::new));
            awaitThat(
                    () -> {
                        behind.runOnce();
                        return all.isDone();
                    });
            all.join();
        }
        assertThat(process.bytesUsed()).isZero();
    }

    @Test
    void aDatabaseWithNothingUnappliedNeedsNoMemoryAndOthersWakeThoseThatWait() throws Exception {
        WatchedStore store = new WatchedStore();
        HeldScheduler behind = new HeldScheduler(time);
        try (RowDatabases databases = logged(store, behind)) {
            RowDatabase large = databases.open("large");
            RowDatabase small = databases.open("small");
            CompletableFuture<Void> last = later(large, "first");
            for (int i = 0; behind.deadlines() == 0; i++) {
                CompletableFuture<Void> sent = later(large, "row" + i);
                awaitThat(() -> sent.isDone() || behind.deadlines() == 1);
                last = sent;
            }
            committed(put(small, "a", VALUE));
            CompletableFuture<Void> waiting = later(small, "b");
            awaitThat(() -> behind.deadlines() == 2 || waiting.isDone());
            assertThat(waiting).isNotDone();
            CompletableFuture<Void> both = CompletableFuture.allOf(waiting, last);
            // The tasks of the large database come first; how much each of them applies depends on
            // the speed of the machine.
            awaitThat(
                    () -> {
                        behind.runOnce();
                        return both.isDone();
                    });
            both.join();
        }
    }

    @Test
    void closedAndRecoveredDatabasesReturnTheMemoryOfUnappliedCommits() {
        WatchedStore store = new WatchedStore();
        try (RowDatabases databases = logged(store, new HeldScheduler(time))) {
            RowDatabase recovered = databases.open("recovered");
            committed(put(recovered, "a", VALUE));
            assertThat(memory.unapplied().bytesUsed()).isGreaterThan(VALUE.length());
            store.losesAnswer = true;
            committed(put(recovered, "b", VALUE));
            assertThat(recovered.metrics().recoveries()).isEqualTo(1);
            assertThat(memory.queued().bytesUsed()).isZero();
            store.rowsFail = true;
            committed(put(databases.open("closed"), "a", VALUE));
            assertThat(memory.unapplied().bytesUsed()).isGreaterThan(VALUE.length());
            assertThat(memory.queued().bytesUsed()).isEqualTo(memory.unapplied().bytesUsed());
        }
        assertThat(process.bytesUsed()).isZero();
    }

    @Test
    void theHistoryOfManyDatabasesStaysWithinItsShare() {
        try (MemoryStore store = MemoryStore.open(MemoryOptions.DEFAULT.withoutViews());
                RowDatabases databases =
                        new RowDatabases(
                                RoutedStores.of(store), TransactionLimits.DEFAULT, memory)) {
            for (int i = 0; i < DATABASES; i++) {
                RowDatabase database = databases.open("database" + i);
                for (int commit = 0; commit < COMMITS; commit++) {
                    committed(put(database, "row", VALUE));
                }
                assertThat(memory.history().bytesUsed()).isBetween(1L, memory.history().bytesMax());
            }
        }
        assertThat(process.bytesUsed()).isZero();
    }

    private RowDatabases logged(WatchedStore store, HeldScheduler behind) {
        return new RowDatabases(
                RoutedStores.of(store),
                TransactionLimits.DEFAULT.withUnapplied(64 << 20, Duration.ofMinutes(2)),
                memory,
                time,
                new SplittableRandom(1),
                behind);
    }

    private static CompletableFuture<Void> later(RowDatabase database, String key) {
        return CompletableFuture.runAsync(
                () -> committed(put(database, key, VALUE)), Thread::startVirtualThread);
    }

    private static boolean anyDone(List<CompletableFuture<Void>> writers) {
        return writers.stream().anyMatch(CompletableFuture::isDone);
    }

    private static void awaitThat(BooleanSupplier holds) {
        long start = System.nanoTime();
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime() - start)
                    .isLessThan(TimeUnit.SECONDS.toNanos(WAIT_SECONDS_MAX));
            Thread.onSpinWait();
        }
    }

    private static void read(Transaction transaction, int rows) {
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            keys.add(key(i));
        }
        transaction.get(keys);
    }

    private static byte[] key(int number) {
        return ("x".repeat(2_000) + number).getBytes(UTF_8);
    }
}
