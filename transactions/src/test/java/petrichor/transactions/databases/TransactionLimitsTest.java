package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.transactions.databases.Rows.bytes;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.put;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionOptions;

/** Every limit refuses requests beyond it, and service continues afterwards. */
class TransactionLimitsTest {
    private static final TransactionOptions OPTIMISTIC = new TransactionOptions.Optimistic(null);
    private static final int OPEN_MAX = 3;
    private static final long READ_BYTES_MAX = 1_000;
    private static final long BATCH_BYTES_MAX = 1_000;
    private static final long QUEUE_BYTES_MAX = 3_000;

    /** Two commits exceed a batch, and a few more exceed the queue. */
    private static final String VALUE = "v".repeat(600);

    private static final TransactionLimits SMALL =
            new TransactionLimits(
                    Duration.ofHours(1),
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(270),
                    OPEN_MAX,
                    READ_BYTES_MAX,
                    QUEUE_BYTES_MAX,
                    BATCH_BYTES_MAX,
                    QUEUE_BYTES_MAX,
                    1 << 20,
                    Duration.ofMillis(50),
                    Duration.ofSeconds(2),
                    100,
                    Duration.ofSeconds(1),
                    1_000,
                    1 << 20,
                    Duration.ofSeconds(5),
                    1 << 20,
                    Duration.ofHours(24));

    private final FaultyStore store = new FaultyStore(MemoryStore.open());
    private final RowDatabases databases =
            new RowDatabases(store, SMALL, new TestTime(), new SplittableRandom(1));
    private final RowDatabase database = databases.open("test");

    @AfterEach
    void close() {
        databases.close();
    }

    @Test
    void queuedCommitsAndBatchesAreBoundedInBytes() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        store.gate = gate;
        List<CompletableFuture<CommitResult>> results = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            String key = "k" + i;
            // A virtual thread leaves the step, and the gate, to the committer's thread.
            Thread.startVirtualThread(() -> results.add(put(database, key, VALUE))).join();
        }
        store.gate = null;
        gate.countDown();
        int refused = 0;
        for (CompletableFuture<CommitResult> result : results) {
            if (result.join() instanceof CommitResult.Refused(PetrichorException reason)) {
                assertThat(reason.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
                refused++;
            } else {
                committed(result);
            }
        }
        assertThat(refused).isBetween(4, 9);
        assertThat(database.metrics().batchCommitsMax()).isEqualTo(2);
        committed(put(database, "after", VALUE));
    }

    @Test
    void openTransactionsAreCounted() {
        List<Transaction> open = new ArrayList<>();
        for (int i = 0; i < OPEN_MAX; i++) {
            open.add(database.begin(OPTIMISTIC));
        }
        assertExhausted(() -> database.begin(OPTIMISTIC));
        open.getFirst().rollback();
        database.begin(OPTIMISTIC).rollback();
    }

    @Test
    void theReadSetOfATransactionIsBounded() {
        Transaction reader = database.begin(OPTIMISTIC);
        assertExhausted(
                () -> {
                    for (int i = 0; i < READ_BYTES_MAX; i++) {
                        var _ = reader.get(bytes("k" + i));
                    }
                });
        Transaction readOnly = database.begin(new TransactionOptions.ReadOnly(0));
        for (int i = 0; i < READ_BYTES_MAX; i++) {
            assertThat(readOnly.get(bytes("k" + i))).isNull();
        }
    }

    private static void assertExhausted(Runnable attempt) {
        assertThatThrownBy(attempt::run)
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED));
    }
}
