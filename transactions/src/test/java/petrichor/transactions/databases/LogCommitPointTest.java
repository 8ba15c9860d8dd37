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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.Cancellation;
import petrichor.base.TimeSource;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionOptions;
import petrichor.transactions.log.RoutedStores;
import petrichor.transactions.scheduling.Scheduler;

/** Commits through a log that is applied to the rows on request. */
class LogCommitPointTest {
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
    void aPutIsOneReadAndOneAppendWhetherOrNotTheRowExists() {
        committed(put(database, "a", "1"));
        background.runAll();
        store.calls();
        committed(put(database, "a", "2"));
        assertThat(store.calls()).containsExactly("get rows", "putIfAbsent log");
        committed(put(database, "new", "1"));
        assertThat(store.calls()).containsExactly("get rows", "putIfAbsent log");
        background.runAll();
        committed(put(database, "gone", null));
        store.calls();
        assertThat(read("gone")).isNull();
        assertThat(store.calls()).hasSizeLessThanOrEqualTo(1);
    }

    @Test
    void aScanAtTheNewestVersionIsOneCall() {
        for (int i = 0; i < 10; i++) {
            committed(put(database, "a" + i, "1"));
        }
        background.runAll();
        store.calls();
        assertThat(everything(database)).hasSize(10);
        assertThat(store.calls()).containsExactly("scan rows");
    }

    @Test
    void unappliedCommitsAreReadFromMemory() {
        committed(put(database, "a", "1"));
        committed(put(database, "b", "1"));
        background.runAll();
        Snapshot before = database.snapshot();
        committed(put(database, "a", "2"));
        committed(put(database, "b", null));
        committed(put(database, "c", "1"));
        assertThat(store.rows("rows")).isEqualTo(2);
        assertThat(everything(database)).containsExactly("a=2", "c=1");
        assertThat(scan(before, KeyRange.ALL, Direction.FORWARD)).containsExactly("a=1", "b=1");
        assertThat(text(before.get(bytes("b")))).isEqualTo("1");
        try (Snapshot now = database.snapshot()) {
            assertThat(scan(now, KeyRange.ALL, Direction.REVERSE)).containsExactly("c=1", "a=2");
            assertThat(scan(now, range("b", "d"), Direction.FORWARD)).containsExactly("c=1");
            assertThat(now.get(List.of(bytes("c"), bytes("b"), bytes("a"))))
                    .extracting(Rows::text)
                    .containsExactly("1", null, "2");
        }
        background.runAll();
        assertThat(everything(database)).containsExactly("a=2", "c=1");
        assertThat(scan(before, KeyRange.ALL, Direction.FORWARD)).containsExactly("a=1", "b=1");
        before.close();
    }

    @Test
    void theNextOwnerAppliesUnappliedCommits() {
        committed(put(database, "a", "1"));
        committed(put(database, "a", "2"));
        long last = committed(put(database, "b", "1"));
        assertThat(store.rows("rows")).isZero();
        try (RowDatabases others = open(STORED, new HeldScheduler(time), 2)) {
            RowDatabase next = others.open("test");
            assertThat(everything(next)).containsExactly("a=2", "b=1");
            assertThat(committed(put(next, "c", "1"))).isGreaterThan(last);
            assertThat(put(database, "a", "3").join()).isInstanceOf(CommitResult.Refused.class);
            // Late writes of the former owner.
            background.runAll();
            assertThat(everything(next)).containsExactly("a=2", "b=1", "c=1");
        }
    }

    @Test
    void theLogIsRemovedOnceItIsAppliedAndSealsStay() {
        for (int i = 0; i < 300; i++) {
            committed(put(database, "a", "" + i));
        }
        assertThat(store.rows("log")).isEqualTo(301);
        background.runAll();
        assertThat(store.rows("log")).isEqualTo(1);
        databases.close();
        try (RowDatabases others = open(STORED, new HeldScheduler(time), 2)) {
            assertThat(everything(others.open("test"))).containsExactly("a=299");
            assertThat(store.rows("log")).isEqualTo(2);
        }
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

    private static void await(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
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

    @Test
    void aWalkThroughARemovedLogRestarts() {
        committed(put(database, "a", "1"));
        committed(put(database, "b", "1"));
        store.beforeRead =
                () -> {
                    // Once, after the new owner has read the checkpoint.
                    if (store.calls().contains("read log")) {
                        store.beforeRead = () -> {};
                        background.runAll();
                        committed(put(database, "a", "2"));
                    }
                };
        store.calls();
        try (RowDatabases others = open(STORED, new HeldScheduler(time), 2)) {
            RowDatabase next = others.open("test");
            assertThat(everything(next)).containsExactly("a=2", "b=1");
            // Both owners would continue if the new one had sealed only a removed slot.
            assertThat(put(database, "a", "3").join()).isInstanceOf(CommitResult.Refused.class);
            committed(put(next, "a", "4"));
            assertThat(everything(next)).containsExactly("a=4", "b=1");
        }
    }

    @Test
    void anOwnRecordFoundInTheSlotCountsAsWritten() {
        store.triesTwice = true;
        committed(put(database, "a", "1"));
        assertThat(database.metrics().recoveries()).isZero();
        try (RowDatabases others = open(STORED, new HeldScheduler(time), 2)) {
            committed(put(others.open("test"), "a", "2"));
            assertThat(others.open("other").name()).isEqualTo("other");
        }
    }

    @Test
    void aRecordLargerThanARowComesInParts() {
        store.valueBytesMax = 1_000;
        try (RowDatabases small = open(STORED, background, 2)) {
            RowDatabase parted = small.open("parted");
            Transaction transaction = parted.begin(new TransactionOptions.Optimistic(null));
            RowWrite[] writes = new RowWrite[20];
            for (int i = 0; i < writes.length; i++) {
                writes[i] = Rows.write(transaction, "k" + i, "v".repeat(500));
            }
            committed(Rows.commit(transaction, writes));
            assertThat(store.rows("log")).isGreaterThan(10);
            try (RowDatabases others = open(STORED, background, 3)) {
                assertThat(everything(others.open("parted"))).hasSize(20);
                others.open("parted").close();
                // The seals of this database, and of the one that every test has.
                assertThat(store.rows("log")).isEqualTo(3);
            }
        }
    }

    /** However much of a record was written, the next owner can read the log. */
    @Test
    void aFailureBetweenThePartsOfARecordLeavesTheLogReadable() {
        store.valueBytesMax = 1_000;
        int inFull = 0;
        for (int writes = 0; inFull == 0; writes++) {
            String name = "parted" + writes;
            try (RowDatabases small = open(STORED, new HeldScheduler(time), 2)) {
                RowDatabase parted = small.open(name);
                Transaction transaction = parted.begin(new TransactionOptions.Optimistic(null));
                RowWrite[] rows = new RowWrite[20];
                for (int i = 0; i < rows.length; i++) {
                    rows[i] = Rows.write(transaction, "k" + i, "v".repeat(500));
                }
                store.logWritesMax = writes;
                CommitResult result = Rows.commit(transaction, rows).join();
                store.logWritesMax = Integer.MAX_VALUE;
                inFull += result instanceof CommitResult.Committed ? 1 : 0;
                try (RowDatabases others = open(STORED, new HeldScheduler(time), 3)) {
                    assertThat(everything(others.open(name)))
                            .as("the log took %d writes", writes)
                            .hasSize(inFull * rows.length);
                }
            }
            assertThat(writes).as("a commit takes some ten writes").isLessThan(30);
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
    void aCommitThatWaitsForRoomContinuesOnceThereIsSome() {
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
    void aCommitIsCancelledWhenItsClientLeavesWhileItWaitsForRoom() {
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
    void aRowOfSeveralCommitsIsWrittenOnceAfterItsHistory() {
        committed(put(database, "a", "1"));
        committed(put(database, "a", null));
        committed(put(database, "a", "3"));
        store.calls();
        store.changes.clear();
        background.runAll();
        assertThat(store.calls()).startsWith("putIfNewer history", "putIfNewer rows");
        assertThat(store.changes)
                .filteredOn(change -> change.table().equals("rows"))
                .singleElement()
                .isInstanceOf(WriteBatch.Put.class);
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

    @Test
    void theLogStaysUntilACheckpointIsWritten() {
        committed(put(database, "a", "1"));
        committed(put(database, "b", "1"));
        store.notesFail = true;
        databases.close();
        // Its rows are applied by now; the next owner must still learn its last version.
        assertThat(store.rows("rows")).isEqualTo(2);
        assertThat(store.rows("log")).isEqualTo(3);
        try (RowDatabases others = open(STORED, background, 2)) {
            assertThat(everything(others.open("test"))).containsExactly("a=1", "b=1");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSnapshotOfAnOwnerThatWasShutOutStillShowsItsVersion(boolean noticed) {
        committed(put(database, "a", "1"));
        committed(put(database, "b", "1"));
        try (Snapshot snapshot = database.snapshot();
                RowDatabases others = open(STORED, background, 2)) {
            RowDatabase next = others.open("test");
            committed(put(next, "a", "2"));
            committed(put(next, "b", null));
            background.runAll();
            if (noticed) {
                assertThat(put(database, "c", "1").join()).isInstanceOf(CommitResult.Refused.class);
            } else {
                databases.ownWhile(_ -> false);
            }
            assertThat(scan(snapshot, KeyRange.ALL, Direction.FORWARD))
                    .containsExactly("a=1", "b=1");
            assertThat(text(snapshot.get(bytes("b")))).isEqualTo("1");
        }
    }

    @Test
    void aLostStepIsReadInFullWhileItIsBeingApplied() {
        committed(put(database, "a", "1"));
        background.runAll();
        try (Snapshot before = database.snapshot()) {
            store.losesAnswer = true;
            store.afterRows = () -> assertThat(text(before.get(bytes("a")))).isEqualTo("1");
            committed(put(database, "a", "2"));
            assertThat(store.calls()).contains("putIfNewer rows");
            assertThat(database.metrics().recoveries()).isEqualTo(1);
        }
    }

    @Test
    void commitsOfOthersAreReadAfterTheLogWasTakenBack() {
        committed(put(database, "a", "1"));
        HeldScheduler theirs = new HeldScheduler(time);
        try (RowDatabases others = open(STORED, theirs, 2)) {
            committed(put(others.open("test"), "a", "2"));
            theirs.runAll();
            store.losesAnswer = true;
            assertThat(put(database, "b", "1").join()).isInstanceOf(CommitResult.Unknown.class);
            assertThat(read("a")).isEqualTo("2");
        }
    }

    @Test
    void aStepOfInternalRowsAloneHasItsOwnVersion() {
        long before = committed(put(database, "a", "1"));
        database.allocateIds(1);
        assertThat(database.metrics().newestVersion()).isGreaterThan(before);
    }

    @Test
    void aDroppedDatabaseLeavesItsSealsAndItsNumberBehind() {
        committed(put(database, "a", "1"));
        background.runAll();
        databases.drop("test");
        assertThat(store.rows("rows")).isZero();
        assertThat(databases.names()).isEmpty();
        RowDatabase again = databases.open("test");
        assertThat(again.number()).isNotEqualTo(database.number());
        assertThat(everything(again)).isEmpty();
    }

    private static List<String> everything(Database database) {
        try (Snapshot snapshot = database.snapshot()) {
            return scan(snapshot, KeyRange.ALL, Direction.FORWARD);
        }
    }

    private @Nullable String read(String key) {
        try (Snapshot snapshot = database.snapshot()) {
            return text(snapshot.get(bytes(key)));
        }
    }
}
