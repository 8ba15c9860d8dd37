package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.transactions.databases.Rows.bytes;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.put;
import static petrichor.transactions.databases.Rows.scan;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.Cancellation;
import petrichor.base.TimeSource;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.log.RoutedStores;
import petrichor.transactions.scheduling.Scheduler;

/** The backlog of logged commits that are not applied yet: its bounds, and the waits for it. */
class CommitBacklogTest {
    /** Without the row cache, which would hide the store. */
    private static final TransactionLimits STORED = TransactionLimits.DEFAULT.withRowCache(0);

    private static final TransactionLimits IMPATIENT =
            STORED.withUnapplied(2_000, Duration.ofMillis(50));

    private static final Duration WAIT_MAX = Duration.ofSeconds(60);

    private final TestTime time = new TestTime();
    private final WatchedStore store = new WatchedStore();
    private final HeldScheduler background = new HeldScheduler(time);
    private final RowDatabases databases = open(STORED, background, 1);
    private final RowDatabase database = databases.open("test");

    private RowDatabases open(TransactionLimits limits, Scheduler behind, long seed) {
        return new RowDatabases(
                RoutedStores.of(store), limits, time, new SplittableRandom(seed), behind);
    }

    @AfterEach
    void close() {
        databases.close();
    }

    @Test
    void largeCommitsAreCheckpointedBeforeTheNextOnesAreApplied() {
        // A store that was fast before may have a large backlog.
        committed(put(database, "a0", "1"));
        background.runAll();
        String large = "v".repeat(1_500_000);
        for (int i = 0; i < 5; i++) {
            committed(put(database, "a" + i, large));
        }
        store.afterRows = () -> store.rowsFail = store.rows("rows") == 4;
        // The task that would gather small commits, and the one that applies large ones
        // immediately.
        background.runOnce();
        background.runOnce();
        assertThat(store.rows("rows")).isEqualTo(4);
        // The seal, and the unapplied commit.
        assertThat(store.rows("log")).isEqualTo(2);
    }

    @Test
    void manySmallRowsAreCheckpointedLikeLargeOnes() {
        for (int i = 0; i < 5; i++) {
            committed(rows(database, "a" + i, 600));
        }
        store.afterRows =
                () -> {
                    time.advanceMicros(600_000);
                    store.rowsFail = store.rows("rows") == 4 * 600;
                };
        for (int i = 0; i < 5; i++) {
            background.runOnce();
        }
        assertThat(store.rows("rows")).isEqualTo(4 * 600);
        assertThat(store.rows("log")).isEqualTo(2);
    }

    @Test
    void aGroupIsNoLargerThanAPieceToApply() throws InterruptedException {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        store.beforePutIfAbsent =
                () -> {
                    first.countDown();
                    await(gate);
                };
        List<CompletableFuture<CommitResult>> queued = new CopyOnWriteArrayList<>();
        Thread.startVirtualThread(() -> queued.add(put(database, "first", "1"))).join();
        await(first);
        for (int i = 0; i < 3; i++) {
            String prefix = "a" + i;
            Thread.startVirtualThread(() -> queued.add(rows(database, prefix, 600))).join();
        }
        gate.countDown();
        queued.forEach(Rows::committed);
        // The first one, two together, and the third.
        assertThat(store.rows("log")).isEqualTo(1 + 3);
    }

    @Test
    void aCommitWaitsForASlowStore() {
        TransactionLimits limits = STORED.withUnapplied(64 << 20, Duration.ofSeconds(2));
        HeldScheduler behind = new HeldScheduler(time);
        try (RowDatabases others = open(limits, behind, 2)) {
            RowDatabase other = others.open("other");
            committed(rows(other, "a", 3_000));
            CompletableFuture<CommitResult> waiting =
                    CompletableFuture.supplyAsync(
                            () -> put(other, "b", "1").join(), Thread::startVirtualThread);
            while (behind.deadlines() == 0 && !waiting.isDone()) {
                Thread.onSpinWait();
            }
            assertThat(waiting).isNotDone();
            behind.runAll();
            committed(waiting.orTimeout(30, TimeUnit.SECONDS));
        }
    }

    @Test
    void theBacklogIsBoundedAndCommitsAreRefusedUntilTheStoreIsBack() {
        try (RowDatabases small = open(IMPATIENT, background, 2)) {
            RowDatabase bounded = small.open("bounded");
            store.rowsFail = true;
            committed(put(bounded, "a", "v".repeat(2_000)));
            assertThat(put(bounded, "b", "1").join())
                    .isInstanceOfSatisfying(
                            CommitResult.Refused.class,
                            refused -> assertThat(refused.reason()).hasMessageContaining("slow"));
            assertThatThrownBy(bounded::appliedVersion).hasMessageContaining("too slow");
            store.rowsFail = false;
            background.runAll();
            long version = committed(put(bounded, "b", "1"));
            background.runAll();
            assertThat(bounded.appliedVersion()).isEqualTo(version);
            assertThat(bounded.metrics().recoveries()).isZero();
        }
    }

    @Test
    void closingDoesNotWaitForASlowStoreAndTheNextOwnerAppliesTheRest() {
        TransactionLimits hasty = STORED.withUnapplied(1 << 20, Duration.ofNanos(1));
        TimeSource moving =
                new TimeSource() {
                    @Override
                    public long epochMicros() {
                        return time.epochMicros();
                    }

                    @Override
                    public long monotonicNanos() {
                        time.advanceMicros(1);
                        return time.monotonicNanos();
                    }
                };
        try (RowDatabases slow =
                new RowDatabases(
                        RoutedStores.of(store),
                        hasty,
                        moving,
                        new SplittableRandom(2),
                        new HeldScheduler(time))) {
            committed(put(slow.open("left"), "a", "1"));
        }
        assertThat(store.rows("rows")).isZero();
        try (RowDatabases others = open(STORED, background, 3)) {
            assertThat(everything(others.open("left"))).containsExactly("a=1");
        }
        assertThat(store.rows("rows")).isEqualTo(1);
    }

    @Test
    void aCommitThatWaitsForCapacityContinuesOnceItIsFree() {
        TransactionLimits patient = STORED.withUnapplied(2_000, Duration.ofMinutes(5));
        HeldScheduler behind = new HeldScheduler(time);
        try (RowDatabases databases = open(patient, behind, 2)) {
            RowDatabase small = databases.open("small");
            committed(put(small, "a", "v".repeat(2_000)));
            CompletableFuture<CommitResult> waiting =
                    CompletableFuture.supplyAsync(
                            () -> put(small, "b", "1").join(), Thread::startVirtualThread);
            while (behind.deadlines() == 0) {
                Thread.onSpinWait();
            }
            assertThat(waiting).isNotDone();
            behind.runAll();
            committed(waiting.orTimeout(30, TimeUnit.SECONDS));
        }
    }

    @Test
    void commitsWaitForASlowStoreThatMakesProgress() {
        TransactionLimits limits = STORED.withUnapplied(300_000, Duration.ofMillis(50));
        HeldScheduler behind = new HeldScheduler(time);
        try (RowDatabases databases = open(limits, behind, 2)) {
            RowDatabase small = databases.open("small");
            committed(put(small, "a", "v".repeat(290_000)));
            committed(put(small, "b", "v".repeat(4_200_000)));
            CompletableFuture<CommitResult> waiting =
                    CompletableFuture.supplyAsync(
                            () -> put(small, "c", "1").join(), Thread::startVirtualThread);
            while (behind.deadlines() == 0) {
                Thread.onSpinWait();
            }
            store.afterRows = () -> store.rowsFail = true;
            behind.runOnce();
            behind.runOnce();
            assertThat(store.rows("rows")).isEqualTo(1);
            while (behind.deadlines() == 1 && !waiting.isDone()) {
                Thread.onSpinWait();
            }
            store.afterRows = () -> {};
            store.rowsFail = false;
            behind.runAll();
            committed(waiting.orTimeout(30, TimeUnit.SECONDS));
        }
    }

    @Test
    void aCommitIsCancelledWhenItsClientLeavesDuringItsWait() {
        TransactionLimits patient = STORED.withUnapplied(2_000, Duration.ofMinutes(5));
        HeldScheduler behind = new HeldScheduler(time);
        Cancellation client = Cancellation.never();
        try (RowDatabases databases = open(patient, behind, 2)) {
            RowDatabase small = databases.open("small");
            committed(put(small, "a", "v".repeat(2_000)));
            CompletableFuture<CommitResult> waiting =
                    CompletableFuture.supplyAsync(
                            () -> {
                                List<CompletableFuture<CommitResult>> results = new ArrayList<>();
                                client.run(() -> results.add(put(small, "b", "1")));
                                return results.getFirst().join();
                            },
                            Thread::startVirtualThread);
            while (behind.deadlines() == 0) {
                Thread.onSpinWait();
            }
            client.cancel();
            behind.runAll();
            assertThat(waiting.orTimeout(30, TimeUnit.SECONDS).join())
                    .isInstanceOf(CommitResult.Refused.class);
            assertThat(everything(small)).hasSize(1);
        }
    }

    @Test
    void closingEndsWaitsForAppliedRows() {
        TransactionLimits patient = STORED.withUnapplied(1 << 20, Duration.ofMinutes(5));
        HeldScheduler behind = new HeldScheduler(time);
        RowDatabases databases = open(patient, behind, 2);
        RowDatabase slow = databases.open("slow");
        committed(put(slow, "a", "1"));
        store.rowsFail = true;
        CompletableFuture<Long> waiting =
                CompletableFuture.supplyAsync(slow::appliedVersion, Thread::startVirtualThread);
        while (behind.deadlines() == 0) {
            Thread.onSpinWait();
        }
        databases.close();
        assertThatThrownBy(waiting.orTimeout(30, TimeUnit.SECONDS)::join)
                .hasMessageContaining("not applied yet");
    }

    @Test
    void aWaitForAppliedRowsEndsTheGatheringDelay() throws Exception {
        committed(put(database, "a", "1"));
        committed(put(database, "b", "1"));
        assertThat(background.size()).as("both wait for more").isEqualTo(1);
        Thread waiting = Thread.ofPlatform().daemon().start(database::appliedVersion);
        long end = System.nanoTime() + WAIT_MAX.toNanos();
        while (background.size() < 2 && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        assertThat(background.size())
                .as("work at once, and the call that is too late")
                .isEqualTo(2);
        background.runOnce();
        background.runOnce();
        assertThat(waiting.join(WAIT_MAX)).isTrue();
    }

    private static CompletableFuture<CommitResult> rows(
            RowDatabase into, String prefix, int count) {
        try (Snapshot snapshot = into.snapshot()) {
            RowWrite[] writes = new RowWrite[count];
            Arrays.setAll(writes, i -> new RowWrite(bytes(prefix + "-" + i), bytes("1"), null));
            return into.commit(
                    new CommitRequest(
                            snapshot.version(), List.of(), List.of(), List.of(), List.of(writes)));
        }
    }

    private static void await(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> everything(Database database) {
        try (Snapshot snapshot = database.snapshot()) {
            return scan(snapshot, KeyRange.ALL, Direction.FORWARD);
        }
    }
}
