package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.transactions.databases.Rows.bytes;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import petrichor.kv.Capabilities;
import petrichor.kv.DurableStep;
import petrichor.kv.ForwardingStore;
import petrichor.kv.StoreFailures;
import petrichor.kv.StoreLimits;
import petrichor.kv.WriteBatch;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.TransactionLimits;

/** Commits over a store with a maximum batch size of one megabyte. */
class BatchLimitTest {
    private static final int BATCH_BYTES_MAX = 1_000_000;
    private static final int COMMITS = 40;

    /** The memory store enforces the batch limits that it reports, as every store does. */
    private static final class SmallBatches extends ForwardingStore {
        SmallBatches() {
            super(MemoryStore.open());
        }

        @Override
        public Capabilities capabilities() {
            Capabilities all = super.capabilities();
            return all.withLimits(
                    new StoreLimits(all.keyBytesMax(), all.valueBytesMax(), BATCH_BYTES_MAX));
        }

        @Override
        public DurableStep durableStep() {
            var step = (DurableStep.AtomicBatch) super.durableStep();
            return new DurableStep.AtomicBatch() {
                @Override
                public long takeFence(byte[] domain) {
                    return step.takeFence(domain);
                }

                @Override
                public Outcome commit(byte[] domain, long fence, WriteBatch batch) {
                    StoreFailures.requireFits(batch, capabilities());
                    return step.commit(domain, fence, batch);
                }
            };
        }
    }

    @Test
    void durableStepsOfManyCommitsFitTheStore() {
        try (SmallBatches store = new SmallBatches();
                RowDatabases databases = databases(store)) {
            RowDatabase database = databases.open("test");
            List<CompletableFuture<CommitResult>> results = new ArrayList<>();
            for (int i = 0; i < COMMITS; i++) {
                results.add(put(database, "row " + i, BATCH_BYTES_MAX / 3));
            }
            for (CompletableFuture<CommitResult> result : results) {
                assertThat(result.join()).isInstanceOf(CommitResult.Committed.class);
            }
        }
    }

    @Test
    void commitThatTheStoreCannotTakeIsRefused() {
        try (SmallBatches store = new SmallBatches();
                RowDatabases databases = databases(store)) {
            RowDatabase database = databases.open("test");
            assertThatThrownBy(() -> put(database, "a", BATCH_BYTES_MAX))
                    .hasMessageContaining("The commit is too large");
            assertThat(put(database, "a", 1).join()).isInstanceOf(CommitResult.Committed.class);
        }
    }

    private static RowDatabases databases(SmallBatches store) {
        return new RowDatabases(
                store, TransactionLimits.DEFAULT, new TestTime(), new SplittableRandom(1));
    }

    private static CompletableFuture<CommitResult> put(
            RowDatabase database, String key, int valueBytes) {
        try (Snapshot snapshot = database.snapshot()) {
            return database.commit(
                    new CommitRequest(
                            snapshot.version(),
                            List.of(),
                            List.of(),
                            List.of(bytes(key)),
                            List.of(new RowWrite(bytes(key), new byte[valueBytes], null))));
        }
    }
}
