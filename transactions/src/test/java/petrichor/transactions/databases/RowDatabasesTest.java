package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.kv.ForwardingStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.rows.TableLayout;

@Timeout(120)
class RowDatabasesTest {
    /** A store that stops answering reads of one name while the database of this name is opened. */
    private static final class PartlyStuck extends ForwardingStore {
        private final byte[] stuck = TableLayout.nameKey("stuck");
        final CountDownLatch asked = new CountDownLatch(1);
        final CountDownLatch answers = new CountDownLatch(1);

        PartlyStuck() {
            super(MemoryStore.open());
        }

        @Override
        public byte @Nullable [] get(String table, byte[] key) {
            if (Arrays.equals(key, stuck)) {
                asked.countDown();
                try {
                    answers.await();
                } catch (InterruptedException interrupted) {
                    throw new AssertionError(interrupted);
                }
            }
            return below().get(table, key);
        }
    }

    /** Metrics need the lists as well, especially while a store does not answer. */
    @Test
    void aDatabaseThatCannotBeOpenedDoesNotBlockOthers() throws Exception {
        PartlyStuck store = new PartlyStuck();
        try (store;
                RowDatabases databases = new RowDatabases(store)) {
            RowDatabase first = databases.open("first");
            CompletableFuture<RowDatabase> stuck =
                    CompletableFuture.supplyAsync(
                            () -> databases.open("stuck"), Thread::startVirtualThread);
            store.asked.await();
            CompletableFuture<Void> rest =
                    CompletableFuture.runAsync(
                            () -> {
                                assertThat(databases.open("first")).isSameAs(first);
                                RowDatabase second = databases.open("second");
                                assertThat(databases.openDatabases()).contains(first, second);
                                assertThat(databases.names()).contains("first", "second");
                                databases.release("second");
                                databases.drop("first");
                            },
                            Thread::startVirtualThread);
            try {
                rest.get(60, TimeUnit.SECONDS);
                assertThat(stuck).isNotDone();
            } finally {
                store.answers.countDown();
            }
            assertThat(stuck.get(60, TimeUnit.SECONDS).closed()).isFalse();
        }
    }

    @Test
    void closingWaitsForADatabaseThatIsBeingOpened() throws Exception {
        PartlyStuck store = new PartlyStuck();
        try (store) {
            RowDatabases databases = new RowDatabases(store);
            CompletableFuture<RowDatabase> opening =
                    CompletableFuture.supplyAsync(
                            () -> databases.open("stuck"), Thread::startVirtualThread);
            store.asked.await();
            CompletableFuture<Void> closing =
                    CompletableFuture.runAsync(databases::close, Thread::startVirtualThread);
            store.answers.countDown();
            closing.get(60, TimeUnit.SECONDS);
            assertThat(opening.get(60, TimeUnit.SECONDS).closed()).isTrue();
        }
    }

    @Test
    void aClosedDatabaseIsReopened() {
        try (MemoryStore store = MemoryStore.open();
                RowDatabases databases = new RowDatabases(store)) {
            RowDatabase first = databases.open("first");
            first.close();
            RowDatabase second = databases.open("first");
            assertThat(second).isNotSameAs(first);
            assertThat(second.closed()).isFalse();
            assertThat(databases.open("first")).isSameAs(second);
        }
    }

    @Test
    void aDroppedDatabaseIsRecreated() {
        try (MemoryStore store = MemoryStore.open();
                RowDatabases databases = new RowDatabases(store)) {
            RowDatabase first = databases.open("first");
            databases.drop("first");
            assertThat(databases.open("first")).isNotSameAs(first);
        }
    }

    @Test
    void nothingIsOpenedAfterClosing() {
        try (MemoryStore store = MemoryStore.open()) {
            RowDatabases databases = new RowDatabases(store);
            var _ = databases.open("first");
            databases.close();
            assertThatThrownBy(() -> databases.open("first")).hasMessageContaining("shutting down");
        }
    }

    @Test
    void openingAnExistingDatabaseCreatesNone() {
        try (TestBench bench = TestBench.open(TestStore.MEMORY_WITH_VIEWS)) {
            assertThat(bench.databases().openExisting("other")).isNull();
            assertThat(bench.databases().names()).doesNotContain("other");
            RowDatabase made = bench.databases().open("other");
            assertThat(bench.databases().openExisting("other")).isSameAs(made);
            bench.databases().drop("other");
            assertThat(bench.databases().openExisting("other")).isNull();
        }
    }
}
