package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static petrichor.transactions.databases.Rows.bytes;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.number;
import static petrichor.transactions.databases.Rows.put;
import static petrichor.transactions.databases.Rows.text;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionOptions;

/** Group commits, and the outcome of commits when the store fails. */
@NullUnmarked
@ParameterizedClass
@EnumSource(
        value = TestStore.class,
        names = {"MEMORY_WITH_VIEWS", "MEMORY_WITHOUT_VIEWS", "MEMORY_WITH_LOG"})
class GroupCommitTest {
    @Parameter TestStore kind;
    private TestTime time;
    private FaultyStore store;
    private RowDatabases databases;
    private RowDatabase database;

    @BeforeEach
    void open() {
        time = new TestTime();
        store = new FaultyStore(MemoryStore.open(kind.options()));
        databases =
                new RowDatabases(
                        store,
                        TransactionLimits.DEFAULT.withRowCache(0),
                        time,
                        new SplittableRandom(1));
        database = databases.open("test");
    }

    @AfterEach
    void close() {
        databases.close();
    }

    @Test
    void aWrittenBatchWithALostAnswerIsCommitted() {
        store.fault = FaultyStore.Fault.WRITTEN_BUT_UNKNOWN;
        long version = committed(put(database, "a", "1"));
        assertThat(read("a")).isEqualTo("1");
        assertThat(committed(put(database, "a", "2"))).isGreaterThan(version);
        assertThat(database.metrics().recoveries()).isEqualTo(1);
    }

    @Test
    void anUnwrittenBatchWithALostAnswerIsRefused() {
        committed(put(database, "a", "1"));
        store.fault = FaultyStore.Fault.NOT_WRITTEN_AND_UNKNOWN;
        assertThat(put(database, "a", "2").join()).isInstanceOf(CommitResult.Refused.class);
        assertThat(read("a")).isEqualTo("1");
        committed(put(database, "a", "3"));
        assertThat(read("a")).isEqualTo("3");
    }

    @Test
    void aStepIsOfUnknownOutcomeOnceAnotherOwnerHasWritten() {
        try (RowDatabases successor =
                new RowDatabases(store, TransactionLimits.DEFAULT, time, new SplittableRandom(2))) {
            store.meanwhile = () -> committed(put(successor.open("test"), "b", "1"));
            store.fault = FaultyStore.Fault.WRITTEN_BUT_UNKNOWN;
            assertThat(put(database, "a", "1").join()).isInstanceOf(CommitResult.Unknown.class);
        }
    }

    @Test
    void aFailedStepIsNotAcknowledged() {
        store.fault = FaultyStore.Fault.THROWS;
        assertThat(put(database, "a", "1").join()).isInstanceOf(CommitResult.Refused.class);
        assertThat(read("a")).isNull();
    }

    @Test
    void everyFailureCompletesItsCommitsAndTheNextCommitRecovers() {
        committed(put(database, "a", "1"));
        store.fault = FaultyStore.Fault.BREAKS;
        assertThat(put(database, "a", "2").join()).isInstanceOf(CommitResult.Unknown.class);
        committed(put(database, "a", "3"));
        assertThat(read("a")).isEqualTo("3");
    }

    @Test
    void aRowTooLargeForTheStoreIsRefusedBeforeItFailsABatch() {
        String longKey = "k".repeat(MemoryStore.KEY_BYTES_MAX / 2);
        assertThatThrownBy(() -> put(database, longKey, "1"))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
        assertThat(database.metrics().recoveries()).isZero();
    }

    @Test
    void theViewOfAnIdleDatabaseIsRefreshedAtTheSameVersion() {
        committed(put(database, "a", "1"));
        databases.tidy(); // The first one may also remove history, which is a separate step.
        long version = database.metrics().newestVersion();
        int before = store.viewsOpened.get();
        databases.tidy();
        assertThat(store.viewsOpened.get())
                .isEqualTo(kind == TestStore.MEMORY_WITH_VIEWS ? before + 1 : 0);
        try (Snapshot snapshot = database.snapshot()) {
            assertThat(snapshot.version()).isEqualTo(version);
            assertThat(text(snapshot.get(bytes("a")))).isEqualTo("1");
        }
    }

    @Test
    void aStoreThatRefusesWritesIsReadAndRecoversAfterAPause() {
        committed(put(database, "a", "1"));
        store.fault = FaultyStore.Fault.READ_ONLY;
        assertThat(put(database, "a", "2").join()).isInstanceOf(CommitResult.Unknown.class);
        assertThat(put(database, "a", "2").join())
                .isInstanceOfSatisfying(
                        CommitResult.Refused.class,
                        refused ->
                                assertThat(refused.reason().code())
                                        .isEqualTo(ErrorCode.UNAVAILABLE));
        assertThat(read("a")).isEqualTo("1");
        store.fault = FaultyStore.Fault.NONE;
        assertThat(put(database, "a", "2").join()).isInstanceOf(CommitResult.Refused.class);
        time.advanceMicros(1_100_000);
        committed(put(database, "a", "2"));
        assertThat(read("a")).isEqualTo("2");
    }

    @Test
    void readersFromBeforeAFailureConflictWithPossibleWrites() {
        committed(put(database, "a", "1"));
        Transaction reader = database.begin(new TransactionOptions.Optimistic(null));
        assertThat(text(reader.get(bytes("a")))).isEqualTo("1");
        store.fault = FaultyStore.Fault.WRITTEN_BUT_UNKNOWN;
        committed(put(database, "a", "2"));
        assertThat(Rows.commit(reader, Rows.write(reader, "b", "1")).join())
                .isInstanceOf(CommitResult.Conflict.class);
    }

    @Test
    void aFencedOwnerServesNothing() {
        try (RowDatabases successor =
                new RowDatabases(store, TransactionLimits.DEFAULT, time, new SplittableRandom(2))) {
            committed(put(database, "a", "1"));
            RowDatabase newer = successor.open("test");
            committed(put(newer, "a", "2"));
            assertThat(put(database, "a", "3").join()).isInstanceOf(CommitResult.Refused.class);
            assertThatThrownBy(database::snapshot)
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("Another server");
            try (Snapshot snapshot = newer.snapshot()) {
                assertThat(text(snapshot.get(bytes("a")))).isEqualTo("2");
            }
        }
    }

    @Test
    void commitsQueuedDuringAStepShareTheNextOne() throws InterruptedException {
        CountDownLatch gate = new CountDownLatch(1);
        store.gate = gate;
        List<Thread> writers = new ArrayList<>();
        List<CompletableFuture<CommitResult>> results = new ArrayList<>();
        for (int i = 0; i < 21; i++) {
            String key = "k" + i;
            Thread writer =
                    Thread.startVirtualThread(
                            () -> {
                                CompletableFuture<CommitResult> result = put(database, key, "1");
                                synchronized (results) {
                                    results.add(result);
                                }
                            });
            writers.add(writer);
        }
        for (Thread writer : writers) {
            writer.join();
        }
        store.gate = null;
        gate.countDown();
        for (CompletableFuture<CommitResult> result : results) {
            committed(result);
        }
        assertThat(database.metrics().commits()).isEqualTo(21);
        // The first may have been in flight already, or may have waited with the others.
        assertThat(database.metrics().syncs()).isLessThanOrEqualTo(2);
        assertThat(database.metrics().batchCommitsMax()).isGreaterThanOrEqualTo(11);
    }

    @Test
    void aCommitWhoseClientLeavesBeforeItsStepBeginsIsNotWritten() throws InterruptedException {
        CountDownLatch gate = new CountDownLatch(1);
        store.gate = gate;
        Cancellation patient = Cancellation.never();
        Cancellation leaving = Cancellation.never();
        List<CompletableFuture<CommitResult>> results = new ArrayList<>();
        // The first is in the step that waits at the gate, and a started step is finished.
        Thread.startVirtualThread(() -> putAs(patient, "a", results)).join();
        assertThat(store.atGate.await(60, TimeUnit.SECONDS)).isTrue();
        Thread.startVirtualThread(() -> putAs(leaving, "b", results)).join();
        Thread.startVirtualThread(() -> putAs(patient, "c", results)).join();
        leaving.cancel();
        store.gate = null;
        gate.countDown();
        committed(results.get(0));
        assertThat(results.get(1).join())
                .isInstanceOfSatisfying(
                        CommitResult.Refused.class,
                        refused ->
                                assertThat(refused.reason().code())
                                        .isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
        committed(results.get(2));
        assertThat(read("b")).isNull();
    }

    private void putAs(
            Cancellation client, String key, List<CompletableFuture<CommitResult>> results) {
        client.run(() -> results.add(put(database, key, "1")));
    }

    @Test
    void aConflictInsideABatchIsFound() throws InterruptedException {
        CountDownLatch gate = new CountDownLatch(1);
        store.gate = gate;
        List<CompletableFuture<CommitResult>> results = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            Thread writer =
                    Thread.startVirtualThread(() -> results.add(put(database, "counter", "1")));
            writer.join();
        }
        store.gate = null;
        gate.countDown();
        long committed =
                results.stream()
                        .filter(result -> result.join() instanceof CommitResult.Committed)
                        .count();
        assertThat(committed).isEqualTo(1);
    }

    @Test
    void aCommitOverTheLimitIsRefusedBeforeItIsQueued() {
        byte[] huge = new byte[(int) TransactionLimits.DEFAULT.commitBytesMax() + 1];
        try (Snapshot snapshot = database.snapshot()) {
            CommitRequest request =
                    new CommitRequest(
                            snapshot.version(),
                            List.of(),
                            List.of(),
                            List.of(bytes("a")),
                            List.of(new RowWrite(bytes("a"), huge, null)));
            assertThatThrownBy(() -> database.commit(request))
                    .hasMessageContaining("The commit is too large");
        }
    }

    @Test
    void oldReadersAreValidatedByTheStoreAndOldScannersRefused() {
        try (RowDatabases small =
                new RowDatabases(
                        store,
                        TransactionLimits.DEFAULT.withWindowBytesMax(1),
                        time,
                        new SplittableRandom(3))) {
            RowDatabase narrow = small.open("narrow");
            committed(put(narrow, "a", "1"));
            committed(put(narrow, "gone", "1"));
            committed(put(narrow, "same", "1"));
            Transaction unharmed = reading(narrow, "same");
            Transaction overwritten = reading(narrow, "a");
            Transaction removed = reading(narrow, "gone");
            Transaction created = reading(narrow, "new");
            Transaction scanned = narrow.begin(new TransactionOptions.Optimistic(null));
            Rows.scan(scanned, Rows.range("x", "y"), petrichor.kv.Direction.FORWARD);
            committed(put(narrow, "a", "2"));
            committed(put(narrow, "gone", null));
            committed(put(narrow, "new", "1"));
            for (int i = 0; i < 10; i++) {
                committed(put(narrow, "other" + i, "1"));
            }
            committed(commitOther(unharmed, 1));
            assertConflict(commitOther(overwritten, 2));
            assertConflict(commitOther(removed, 3));
            assertConflict(commitOther(created, 4));
            assertConflict(commitOther(scanned, 5));
        }
    }

    @Test
    void commitsPlannedWithAFailedValidationAreWithdrawn() throws InterruptedException {
        Transaction old = reading(database, "same");
        store.fault = FaultyStore.Fault.WRITTEN_BUT_UNKNOWN;
        // Recovery clears the window: earlier readers are validated by the store.
        committed(put(database, "a", "1"));
        store.readsFail = true;
        CountDownLatch gate = new CountDownLatch(1);
        store.gate = gate;
        List<CompletableFuture<CommitResult>> results = new ArrayList<>();
        Thread.startVirtualThread(() -> results.add(insert("first"))).join();
        Thread.startVirtualThread(() -> results.add(insert("b"))).join();
        Thread.startVirtualThread(() -> results.add(commitOther(old, 1))).join();
        store.gate = null;
        gate.countDown();
        assertThat(results.getLast().join()).isInstanceOf(CommitResult.Refused.class);
        store.readsFail = false;
        committed(put(database, "b", "2"));
    }

    @Test
    void aFailedValidationKeepsEarlierCommits() {
        committed(put(database, "a", "1"));
        Transaction old = reading(database, "same");
        store.fault = FaultyStore.Fault.WRITTEN_BUT_UNKNOWN;
        committed(put(database, "other", "1"));
        Transaction reader = reading(database, "a");
        committed(put(database, "a", "2"));
        store.readsFail = true;
        assertThat(commitOther(old, 1).join()).isInstanceOf(CommitResult.Refused.class);
        store.readsFail = false;
        assertConflict(commitOther(reader, 2));
    }

    @Test
    void noNewViewShowsAStepOfUnknownOutcome() {
        committed(put(database, "a", "1"));
        databases.tidy(); // The first one may also remove history, which is a separate step.
        store.meanwhile = () -> store.fault = FaultyStore.Fault.READ_ONLY;
        store.fault = FaultyStore.Fault.WRITTEN_BUT_UNKNOWN;
        assertThat(put(database, "a", "2").join()).isInstanceOf(CommitResult.Unknown.class);
        databases.tidy();
        assertThat(read("a")).isEqualTo("1");
    }

    /** A waiting caller may hold a lock that callbacks of other commits of the group need. */
    @Test
    void internalRowsAreWrittenByTheLoopAndNotByTheirWaiter() {
        List<Thread> writers = new CopyOnWriteArrayList<>();
        store.before = () -> writers.add(Thread.currentThread());
        database.allocateIds(1);
        assertThat(writers).isNotEmpty().doesNotContain(Thread.currentThread());
    }

    @Test
    void aCommittingTransactionKeepsItsLocksEvenFromAnOlderOne() throws InterruptedException {
        try (RowDatabases impatient =
                new RowDatabases(
                        store,
                        TransactionLimits.DEFAULT.withLockWait(Duration.ofMillis(50)),
                        time,
                        new SplittableRandom(2))) {
            RowDatabase locked = impatient.open("locked");
            Transaction elder = locked.begin(new TransactionOptions.Pessimistic(null));
            Transaction younger = locked.begin(new TransactionOptions.Pessimistic(null));
            RowWrite write = Rows.write(younger, "a", "1");
            CountDownLatch gate = new CountDownLatch(1);
            store.gate = gate;
            List<CompletableFuture<CommitResult>> results = new ArrayList<>();
            Thread.startVirtualThread(() -> results.add(Rows.commit(younger, write))).join();
            Throwable kept = catchThrowable(() -> elder.get(bytes("a")));
            store.gate = null;
            gate.countDown();
            assertThat(kept)
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.ABORTED));
            committed(results.getFirst());
        }
    }

    @Test
    void aRetryReadsAfterCommitsQueuedBeforeItsLocks() throws InterruptedException {
        committed(put(database, "a", "1"));
        Transaction first = database.begin(new TransactionOptions.Optimistic(null));
        RowWrite late = Rows.write(first, "a", "2");
        committed(put(database, "a", "x"));
        assertConflict(Rows.commit(first, late));
        CountDownLatch gate = new CountDownLatch(1);
        store.gate = gate;
        List<CompletableFuture<CommitResult>> queued = new ArrayList<>();
        Thread.startVirtualThread(() -> queued.add(put(database, "a", "y"))).join();
        List<Transaction> started = new ArrayList<>();
        Thread retrying =
                Thread.startVirtualThread(
                        () ->
                                started.add(
                                        database.begin(
                                                new TransactionOptions.Optimistic(first.id()))));
        while (retrying.getState() != Thread.State.WAITING && retrying.isAlive()) {
            Thread.onSpinWait();
        }
        store.gate = null;
        gate.countDown();
        retrying.join();
        committed(queued.getFirst());
        Transaction retry = started.getFirst();
        committed(Rows.commit(retry, Rows.write(retry, "a", "2")));
    }

    /** Inserts a missing row without reading it first. */
    private CompletableFuture<CommitResult> insert(String key) {
        return database.commit(
                new CommitRequest(
                        database.metrics().newestVersion(),
                        List.of(),
                        List.of(),
                        List.of(bytes(key)),
                        List.of(new RowWrite(bytes(key), bytes("1"), null))));
    }

    private static Transaction reading(Database database, String key) {
        Transaction transaction = database.begin(new TransactionOptions.Optimistic(null));
        transaction.get(bytes(key));
        return transaction;
    }

    private static CompletableFuture<CommitResult> commitOther(Transaction transaction, int n) {
        byte[] key = bytes("mine" + n);
        return transaction.commit(List.of(key), List.of(new RowWrite(key, number(n), null)));
    }

    private static void assertConflict(CompletableFuture<CommitResult> result) {
        assertThat(result.join()).isInstanceOf(CommitResult.Conflict.class);
    }

    private @org.jspecify.annotations.Nullable String read(String key) {
        try (Snapshot snapshot = database.snapshot()) {
            return text(snapshot.get(bytes(key)));
        }
    }
}
