package petrichor.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.kv.memory.MemoryStore;

@Timeout(120)
class RowDatabasesTest {
    @Test
    void anOpenDatabaseIsFoundWhileAnotherIsBeingOpened() throws Exception {
        try (MemoryStore store = MemoryStore.open();
                RowDatabases databases = new RowDatabases(store)) {
            RowDatabase first = databases.open("first");
            synchronized (databases) { // what opening, dropping and closing hold
                assertThat(
                                CompletableFuture.supplyAsync(() -> databases.open("first"))
                                        .get(60, TimeUnit.SECONDS))
                        .isSameAs(first);
            }
        }
    }

    /** Metrics need both while the store does not answer a thread that opens a database. */
    @Test
    void databasesAreListedWhileAnotherIsBeingOpened() throws Exception {
        try (MemoryStore store = MemoryStore.open();
                RowDatabases databases = new RowDatabases(store)) {
            RowDatabase first = databases.open("first");
            synchronized (databases) {
                assertThat(
                                CompletableFuture.supplyAsync(databases::openDatabases)
                                        .get(60, TimeUnit.SECONDS))
                        .containsExactly(first);
                assertThat(
                                CompletableFuture.supplyAsync(databases::names)
                                        .get(60, TimeUnit.SECONDS))
                        .containsExactly("first");
            }
        }
    }

    @Test
    void aClosedDatabaseIsOpenedAnew() {
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
    void aDroppedDatabaseIsOpenedAnew() {
        try (MemoryStore store = MemoryStore.open();
                RowDatabases databases = new RowDatabases(store)) {
            RowDatabase first = databases.open("first");
            databases.drop("first");
            assertThat(databases.open("first")).isNotSameAs(first);
        }
    }

    @Test
    void nothingIsOpenedAfterTheEnd() {
        try (MemoryStore store = MemoryStore.open()) {
            RowDatabases databases = new RowDatabases(store);
            var _ = databases.open("first");
            databases.close();
            assertThatThrownBy(() -> databases.open("first")).hasMessageContaining("shutting down");
        }
    }
}
