package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.transactions.databases.Rows.bytes;
import static petrichor.transactions.databases.Rows.commit;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.number;
import static petrichor.transactions.databases.Rows.put;
import static petrichor.transactions.databases.Rows.range;
import static petrichor.transactions.databases.Rows.scan;
import static petrichor.transactions.databases.Rows.text;
import static petrichor.transactions.databases.Rows.write;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.kv.Direction;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionId;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionOptions;

/** Contending transactions: with locks, and as retries of transactions that lost. */
class ContentionTest {
    private static final TransactionOptions OPTIMISTIC = new TransactionOptions.Optimistic(null);
    private static final TransactionOptions PESSIMISTIC = new TransactionOptions.Pessimistic(null);

    private final TestBench bench =
            TestBench.open(
                    TestStore.MEMORY_WITH_VIEWS,
                    TransactionLimits.DEFAULT.withLockWait(Duration.ofMillis(50)));
    private final RowDatabase database = bench.database();

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void aLockedRowIsNotWrittenByOthers() {
        committed(put(database, "a", "1"));
        Transaction holder = database.begin(PESSIMISTIC);
        assertThat(text(holder.get(bytes("a")))).isEqualTo("1");
        assertWaitedTooLong(put(database, "a", "2"));
        Transaction other = database.begin(OPTIMISTIC);
        assertWaitedTooLong(commit(other, write(other, "a", "2")));
        committed(put(database, "b", "1"));
        committed(commit(holder, write(holder, "a", "3")));
        committed(put(database, "a", "4"));
        assertThat(database.locks().idle()).isTrue();
    }

    @Test
    void aLockedRangeGetsNoNewRows() {
        Transaction holder = database.begin(PESSIMISTIC);
        assertThat(scan(holder, range("k", "l"), Direction.FORWARD)).isEmpty();
        assertWaitedTooLong(put(database, "k1", "1"));
        committed(put(database, "m", "1"));
        holder.rollback();
        committed(put(database, "k1", "1"));
    }

    @Test
    void readersShareALock() {
        committed(put(database, "a", "1"));
        Transaction one = database.begin(PESSIMISTIC);
        Transaction two = database.begin(PESSIMISTIC);
        assertThat(one.get(bytes("a"))).isNotNull();
        assertThat(two.get(bytes("a"))).isNotNull();
        one.rollback();
        two.rollback();
    }

    @Test
    void anOlderTransactionTakesTheLockOfAYoungerOne() {
        committed(put(database, "a", "1"));
        Transaction elder = database.begin(PESSIMISTIC);
        Transaction younger = database.begin(PESSIMISTIC);
        RowWrite mine = write(elder, "a", "elder");
        RowWrite other = write(younger, "a", "younger");
        committed(commit(elder, mine));
        assertThat(commit(younger, other).join()).isInstanceOf(CommitResult.Conflict.class);
        assertThat(database.locks().idle()).isTrue();
    }

    @Test
    void withLocksEachReadSeesTheNewestVersion() {
        committed(put(database, "a", "1"));
        committed(put(database, "b", "1"));
        Transaction holder = database.begin(PESSIMISTIC);
        assertThat(text(holder.get(bytes("a")))).isEqualTo("1");
        committed(put(database, "b", "2"));
        RowWrite write = write(holder, "b", "3");
        assertThat(text(write.prior())).isEqualTo("2");
        committed(commit(holder, write));
    }

    @Test
    void afterAScanReadsStayAtItsVersion() {
        committed(put(database, "b", "1"));
        committed(put(database, "k1", "1"));
        Transaction holder = database.begin(PESSIMISTIC);
        try (RowCursor cursor = holder.scan(range("k", "l"), Direction.FORWARD)) {
            assertThat(cursor.next()).isTrue();
            committed(put(database, "b", "2"));
            assertThat(text(holder.get(bytes("b")))).isEqualTo("1");
        }
    }

    @Test
    void aTransactionThatLosesItsLocksWhileWaitingAbortsAtItsCommit() throws Exception {
        try (TestBench patient =
                TestBench.open(
                        TestStore.MEMORY_WITH_VIEWS,
                        TransactionLimits.DEFAULT.withLockWait(Duration.ofMinutes(1)))) {
            RowDatabase rows = patient.database();
            committed(put(rows, "a", "1"));
            committed(put(rows, "b", "1"));
            Transaction elder = rows.begin(PESSIMISTIC);
            elder.prepare(List.of(), List.of(bytes("b"))).get(1, TimeUnit.MINUTES);
            Transaction younger = rows.begin(PESSIMISTIC);
            assertThat(text(younger.get(bytes("a")))).isEqualTo("1");
            CompletableFuture<Void> waiting = younger.prepare(List.of(bytes("b")), List.of());
            assertThat(waiting).isNotDone();
            elder.prepare(List.of(), List.of(bytes("a"))).get(1, TimeUnit.MINUTES);
            waiting.get(1, TimeUnit.MINUTES);
            assertThat(text(younger.get(bytes("b")))).isEqualTo("1");
            committed(commit(elder, write(elder, "a", "2"), write(elder, "b", "2")));
            assertThat(text(younger.get(bytes("b")))).isEqualTo("1");
            assertThat(commit(younger, write(younger, "b", "3")).join())
                    .isInstanceOf(CommitResult.Conflict.class);
            assertThat(rows.locks().idle()).isTrue();
        }
    }

    @Test
    void aTransactionWithoutItsLocksKeepsItsReadVersion() {
        committed(put(database, "a", "1"));
        committed(put(database, "b", "1"));
        Transaction elder = database.begin(PESSIMISTIC);
        assertThat(elder.get(bytes("z"))).as("as old as its first lock").isNull();
        Transaction younger = database.begin(PESSIMISTIC);
        assertThat(text(younger.get(bytes("a")))).isEqualTo("1");
        committed(commit(elder, write(elder, "a", "2"), write(elder, "b", "2")));
        assertThat(text(younger.get(bytes("b")))).isEqualTo("1");
    }

    @Test
    void readsAtSeveralVersionsAreValidatedWithoutWrites() {
        committed(put(database, "a", "1"));
        Transaction elder = database.begin(PESSIMISTIC);
        assertThat(elder.get(bytes("z"))).as("as old as its first lock").isNull();
        Transaction younger = database.begin(PESSIMISTIC);
        assertThat(text(younger.get(bytes("a")))).isEqualTo("1");
        committed(put(database, "b", "2"));
        assertThat(text(younger.get(bytes("b")))).isEqualTo("2");
        committed(commit(elder, write(elder, "a", "3")));
        assertThat(younger.commit(List.of(), List.of()).join())
                .isInstanceOf(CommitResult.Conflict.class);
    }

    @Test
    void anIdleHolderLosesItsLocksWhenItExpires() {
        committed(put(database, "a", "1"));
        Transaction holder = database.begin(PESSIMISTIC);
        assertThat(holder.get(bytes("a"))).isNotNull();
        bench.time().advanceMicros(61_000_000);
        bench.databases().tidy();
        committed(put(database, "a", "2"));
    }

    @Test
    void aRetryThatNamesItsPreviousTransactionIsNotOvertaken() {
        committed(put(database, "a", "1"));
        Transaction first = database.begin(OPTIMISTIC);
        RowWrite late = write(first, "a", "2");
        committed(put(database, "a", "x"));
        assertThat(commit(first, late).join()).isInstanceOf(CommitResult.Conflict.class);
        Transaction retry = database.begin(new TransactionOptions.Optimistic(first.id()));
        RowWrite again = write(retry, "a", "2");
        assertWaitedTooLong(put(database, "a", "y"));
        committed(commit(retry, again));
        committed(put(database, "a", "y"));
    }

    @Test
    void aRetryIsAsOldAsItsFirstAttempt() {
        committed(put(database, "a", "1"));
        Transaction first = database.begin(OPTIMISTIC);
        RowWrite late = write(first, "a", "2");
        committed(put(database, "a", "x"));
        assertThat(commit(first, late).join()).isInstanceOf(CommitResult.Conflict.class);
        Transaction between = database.begin(PESSIMISTIC);
        assertThat(text(between.get(bytes("a")))).isEqualTo("x");
        Transaction retry = database.begin(new TransactionOptions.Pessimistic(first.id()));
        committed(commit(retry, write(retry, "a", "2")));
    }

    @Test
    void theHeadStartOfARetryRunsOut() {
        committed(put(database, "a", "1"));
        Transaction first = database.begin(OPTIMISTIC);
        RowWrite late = write(first, "a", "2");
        committed(put(database, "a", "x"));
        assertThat(commit(first, late).join()).isInstanceOf(CommitResult.Conflict.class);
        Transaction retry = database.begin(new TransactionOptions.Optimistic(first.id()));
        RowWrite again = write(retry, "a", "2");
        bench.time().advanceMicros(2_100_000);
        committed(put(database, "a", "y"));
        assertThat(commit(retry, again).join()).isInstanceOf(CommitResult.Conflict.class);
    }

    @Test
    void aFirstAttemptWaitsBeforeReadingRowsThatOthersWrite() throws Exception {
        committed(put(database, "a", "1"));
        Transaction lost = database.begin(OPTIMISTIC);
        RowWrite late = write(lost, "a", "late");
        committed(put(database, "a", "2"));
        assertThat(commit(lost, late).join()).isInstanceOf(CommitResult.Conflict.class);
        Transaction retry = database.begin(new TransactionOptions.Optimistic(lost.id()));
        Transaction first = database.begin(OPTIMISTIC);
        CompletableFuture<RowWrite> read = new CompletableFuture<>();
        Thread reader = Thread.ofPlatform().start(() -> read.complete(write(first, "a", "first")));
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (reader.getState() != Thread.State.WAITING) {
            assertThat(read).as("it read before it was its turn").isNotDone();
            assertThat(System.nanoTime()).as("it does not wait").isLessThan(end);
            Thread.onSpinWait();
        }
        committed(commit(retry, write(retry, "a", "3")));
        RowWrite write = read.get(30, TimeUnit.SECONDS);
        assertThat(text(write.prior())).isEqualTo("3");
        committed(commit(first, write));
        assertThat(database.locks().idle()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyIncrementOfAHotCounterGetsThrough(boolean locks) throws Exception {
        int clients = 16;
        long increments = 30;
        LongAdder attempts = new LongAdder();
        try (TestBench real = TestBench.withRealTime(TestStore.MEMORY_WITHOUT_VIEWS);
                ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
            RowDatabase hot = real.database();
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                running.add(
                        pool.submit(
                                () -> {
                                    for (int n = 0; n < increments; n++) {
                                        increment(hot, locks, attempts);
                                    }
                                }));
            }
            for (Future<?> client : running) {
                client.get();
            }
            try (Snapshot snapshot = hot.snapshot()) {
                assertThat(number(snapshot.get(bytes("n")))).isEqualTo(clients * increments);
            }
            // Without priority the number of attempts would grow with the number of clients.
            assertThat(attempts.sum()).isLessThan(4L * clients * increments);
            assertThat(hot.locks().idle()).isTrue();
        }
    }

    /** Final: must not be retried like a conflict. */
    private static void assertWaitedTooLong(CompletableFuture<CommitResult> result) {
        assertThat(result.join())
                .isInstanceOfSatisfying(
                        CommitResult.Refused.class,
                        refused ->
                                assertThat(refused.reason().code())
                                        .isEqualTo(petrichor.base.ErrorCode.ABORTED));
    }

    private static void increment(Database database, boolean locks, LongAdder attempts) {
        TransactionId previous = null;
        while (true) {
            attempts.increment();
            Transaction transaction = database.begin(options(locks, previous));
            previous = transaction.id();
            byte[] key = bytes("n");
            CompletableFuture<CommitResult> result;
            try {
                Row row = transaction.get(key);
                result =
                        transaction.commit(
                                List.of(key),
                                List.of(new RowWrite(key, number(number(row) + 1), row)));
            } catch (petrichor.base.PetrichorException aborted) {
                assertThat(aborted.code()).isEqualTo(petrichor.base.ErrorCode.ABORTED);
                continue;
            }
            if (result.join() instanceof CommitResult.Committed) {
                return;
            }
        }
    }

    private static TransactionOptions options(boolean locks, @Nullable TransactionId previous) {
        return locks
                ? new TransactionOptions.Pessimistic(previous)
                : new TransactionOptions.Optimistic(previous);
    }
}
