package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.kv.memory.MemoryStore;
import petrichor.server.apps.AppSearch;
import petrichor.services.search.SearchService;
import petrichor.services.search.WriteOutcome;
import petrichor.services.search.model.FieldValue;
import petrichor.services.search.model.IndexName;
import petrichor.services.search.model.SearchDocument;
import petrichor.services.search.model.SearchField;
import petrichor.services.search.model.SearchFieldType;
import petrichor.services.search.model.SearchRequest;
import petrichor.services.search.model.SearchResults;
import petrichor.transactions.databases.RowDatabases;

/** The search service in a server: data that a reset replaces, little memory, the end. */
class AppSearchTest {
    private static final String PROJECT = "demo";
    private static final IndexName INDEX = new IndexName("", "index");

    @TempDir Path folder;

    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private RowDatabases databases = new RowDatabases(MemoryStore.open());

    @AfterEach
    void close() {
        databases.close();
        workers.close();
    }

    private AppSearch search(long memoryBytes) {
        return new AppSearch(
                () -> databases,
                Optional.of(folder),
                MemoryBudget.of("process", memoryBytes),
                workers);
    }

    private static WriteOutcome put(SearchService search, IndexName index, String id) {
        SearchField text = new SearchField("t", new FieldValue.Text(SearchFieldType.TEXT, "word"));
        return search.put(
                        PROJECT,
                        index,
                        List.of(new SearchDocument(id, "en", 1, List.of(text), List.of())))
                .getFirst();
    }

    private static List<String> found(SearchService search, IndexName index) {
        SearchResults results = search.search(PROJECT, index, SearchRequest.of("word"));
        return results == null
                ? List.of()
                : results.hits().stream().map(hit -> hit.document().id()).toList();
    }

    @Test
    void aResetEmptiesTheIndexes() {
        try (AppSearch search = search(1 << 30)) {
            put(search.service(), INDEX, "first");
            assertThat(found(search.service(), INDEX)).containsExactly("first");
            databases.close();
            databases = new RowDatabases(MemoryStore.open());
            assertThat(search.service().search(PROJECT, INDEX, SearchRequest.of("word"))).isNull();
            put(search.service(), INDEX, "second");
            assertThat(found(search.service(), INDEX)).containsExactly("second");
        }
    }

    /** The memory suffices for the buffer of one open index. */
    @Test
    void unusedIndexesMakeRoomForOthers() {
        try (AppSearch search = search(40 << 20)) {
            for (int i = 0; i < 4; i++) {
                IndexName index = new IndexName("", "index" + i % 2);
                assertThat(put(search.service(), index, "d" + i))
                        .isEqualTo(new WriteOutcome.Written("d" + i));
            }
            assertThat(found(search.service(), new IndexName("", "index0")))
                    .containsExactlyInAnyOrder("d0", "d2");
            assertThat(search.service().openIndexes()).isEqualTo(1);
        }
    }

    @Test
    void metricsDoNotCreateTheService() {
        try (AppSearch search = search(1 << 30)) {
            assertThat(search.metrics().stream()).hasSize(8);
            assertThat(folder).isEmptyDirectory();
        }
    }

    @Test
    void aClosedServerRefusesSearches() {
        AppSearch search = search(1 << 30);
        search.close();
        assertThatThrownBy(search::service).isInstanceOf(PetrichorException.class);
    }
}
