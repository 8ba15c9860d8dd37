package petrichor.services.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.services.search.Searches.PROJECT;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.memory.MemoryStore;
import petrichor.services.search.model.IndexName;
import petrichor.transactions.Database;
import petrichor.transactions.databases.RowDatabases;

/**
 * At most one index may be open, and the memory suffices for its buffer. A call does not wait; what
 * it starts runs when a test asks for it.
 */
final class OpenIndexesTest {
    private static final IndexName FIRST = new IndexName("", "first");
    private static final IndexName SECOND = new IndexName("", "second");
    private static final SearchSettings ONE =
            new SearchSettings(
                    null,
                    SearchSettings.INDEX_BYTES_MAX,
                    SearchSettings.FIELD_NAMES_MAX,
                    1,
                    SearchSettings.BUFFER_MEGABYTES,
                    Duration.ZERO,
                    SearchSettings.COMMIT_PERIOD,
                    SearchSettings.IDLE_MAX,
                    SearchSettings.RETAINED_CHANGES);

    private final Deque<Runnable> work = new ArrayDeque<>();
    private final MemoryBudget memory =
            MemoryBudget.of("buffers", (long) (SearchSettings.BUFFER_MEGABYTES * (1 << 20)));
    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases databases = new RowDatabases(store);
    private final Database database = databases.open(PROJECT);
    private final OpenIndexes indexes =
            new OpenIndexes(ONE, new SearchMetrics(), memory, TimeSource.SYSTEM, work::add);

    @AfterEach
    void close() {
        while (!work.isEmpty()) {
            work.remove().run();
        }
        indexes.close();
        databases.close();
        store.close();
    }

    private void open(IndexName index) {
        assertCode(ErrorCode.UNAVAILABLE, () -> use(index));
    }

    private void use(IndexName index) {
        assertThat(indexes.use(database, PROJECT, index, OpenIndex::state)).isNotNull();
    }

    private static void assertCode(ErrorCode code, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        refused -> assertThat(refused.code()).isEqualTo(code));
    }

    @Test
    void anIndexIsOpenedWhenTheOneItReplacesHasReturnedItsMemory() {
        open(FIRST);
        work.remove().run();
        use(FIRST);
        assertThat(memory.bytesUsed()).isEqualTo(memory.bytesMax());
        open(SECOND);
        assertThat(work).as("the end of the first one").hasSize(1);
        work.remove().run();
        assertThat(memory.bytesUsed()).isZero();
        assertThat(work).as("the second one").hasSize(1);
        work.remove().run();
        use(SECOND);
        assertThat(indexes.ready()).hasSize(1);
    }

    @Test
    void anIndexInUseIsNotClosedForAnother() {
        open(FIRST);
        work.remove().run();
        indexes.use(
                database,
                PROJECT,
                FIRST,
                first -> {
                    assertCode(ErrorCode.RESOURCE_EXHAUSTED, () -> use(SECOND));
                    assertThat(work).isEmpty();
                    return first;
                });
        use(FIRST);
    }
}
