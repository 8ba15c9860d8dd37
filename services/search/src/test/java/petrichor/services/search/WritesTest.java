package petrichor.services.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.services.search.Searches.INDEX;
import static petrichor.services.search.Searches.PROJECT;
import static petrichor.services.search.Searches.atom;
import static petrichor.services.search.Searches.document;
import static petrichor.services.search.Searches.number;
import static petrichor.services.search.Searches.ranked;
import static petrichor.services.search.Searches.text;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.kv.memory.MemoryStore;
import petrichor.services.search.model.IndexName;
import petrichor.services.search.model.SearchDocument;
import petrichor.services.search.model.SearchField;
import petrichor.services.search.model.SearchFieldType;
import petrichor.services.search.model.SearchLimits;

final class WritesTest {
    @Test
    void acknowledgedPutsAndDeletesAreVisibleToTheNextSearch() {
        try (Searches searches = new Searches()) {
            for (int i = 0; i < 50; i++) {
                searches.put(ranked("d" + i, i, text("t", "word")));
                assertThat(searches.ids("word")).hasSize(i + 1).startsWith("d" + i);
            }
            searches.put(ranked("d7", 7, text("t", "other")));
            assertThat(searches.ids("other")).containsExactly("d7");
            assertThat(searches.ids("word")).hasSize(49).doesNotContain("d7");
            assertThat(searches.service.delete(PROJECT, INDEX, List.of("d7", "none")))
                    .containsExactly(
                            new WriteOutcome.Written("d7"), new WriteOutcome.Missing("none"));
            assertThat(searches.ids("other")).isEmpty();
            assertThat(searches.rows()).hasSize(49);
        }
    }

    @Test
    void idsAreChosenForDocumentsWithoutOne() {
        try (Searches searches = new Searches()) {
            List<WriteOutcome> outcomes =
                    searches.put(document("", text("t", "a")), document("", text("t", "b")));
            assertThat(searches.rows()).hasSize(2).doesNotHaveDuplicates();
            assertThat(outcomes).allMatch(WriteOutcome.Written.class::isInstance);
        }
    }

    @Test
    void oneCallMayWriteADocumentTwice() {
        try (Searches searches = new Searches()) {
            searches.put(document("d", text("t", "first")), document("d", text("t", "second")));
            assertThat(searches.ids("first")).isEmpty();
            assertThat(searches.ids("second")).containsExactly("d");
            assertThat(searches.service.indexes(PROJECT, "").getFirst().documents()).isOne();
        }
    }

    @Test
    void writersOfOneIndexShareCommitsAndLoseNothing() throws Exception {
        try (Searches searches = new Searches();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> writers = new ArrayList<>();
            for (int writer = 0; writer < 20; writer++) {
                int number = writer;
                writers.add(
                        threads.submit(
                                () -> {
                                    for (int i = 0; i < 20; i++) {
                                        String id = number + "-" + i;
                                        searches.put(document(id, atom("id", id)));
                                        assertThat(searches.ids("id:" + id)).containsExactly(id);
                                    }
                                }));
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
            assertThat(searches.rows()).hasSize(400);
            assertThat(searches.search(Searches.request("", 1)).found()).isEqualTo(400);
        }
    }

    @Test
    void invalidDocumentsAreRefusedByThemselves() {
        try (Searches searches = new Searches()) {
            List<WriteOutcome> outcomes =
                    searches.put(
                            document("good", text("t", "a")),
                            document("!bad", text("t", "a")),
                            document("__bad__", text("t", "a")),
                            document("space d", text("t", "a")),
                            document("empty"),
                            document("name", text("1t", "a")),
                            document("atom", atom("t", "a".repeat(501))),
                            document("number", number("n", 3e9)),
                            document("nan", number("n", Double.NaN)),
                            document("twice", number("n", 1), number("n", 2)),
                            document("big", text("t", "x".repeat(SearchLimits.TEXT_BYTES_MAX))));
            assertThat(outcomes.getFirst()).isEqualTo(new WriteOutcome.Written("good"));
            assertThat(outcomes.subList(1, outcomes.size()))
                    .hasSize(10)
                    .allMatch(WriteOutcome.Refused.class::isInstance);
            assertThat(searches.rows()).containsExactly("good");
        }
    }

    @Test
    void callsAndIndexesAreLimited() {
        SearchSettings small = SearchSettings.of(null).withIndexBytesMax(1_000);
        try (Searches searches = new Searches(MemoryStore.open(), small)) {
            SearchDocument[] many =
                    IntStream.range(0, 201)
                            .mapToObj(i -> document("d" + i, text("t", "a")))
                            .toArray(SearchDocument[]::new);
            assertThatThrownBy(() -> searches.put(many))
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("201 documents");
            List<WriteOutcome> outcomes =
                    searches.put(
                            document("a", text("t", "x".repeat(800))),
                            document("b", text("t", "x".repeat(800))));
            assertThat(outcomes.get(0)).isInstanceOf(WriteOutcome.Written.class);
            assertThat(outcomes.get(1)).isInstanceOf(WriteOutcome.Refused.class);
            searches.service.delete(PROJECT, INDEX, List.of("a"));
            assertThat(searches.put(document("b", text("t", "x".repeat(800)))).getFirst())
                    .isInstanceOf(WriteOutcome.Written.class);
        }
    }

    @Test
    void theNamesOfFieldsAreLimited() {
        try (Searches searches = new Searches()) {
            int names = SearchSettings.FIELD_NAMES_MAX;
            for (int from = 0; from < names; from += 1_000) {
                int first = from;
                searches.put(
                        document(
                                "d" + from,
                                IntStream.range(0, 1_000)
                                        .mapToObj(i -> number("f" + (first + i), i))
                                        .toArray(SearchField[]::new)));
            }
            assertThat(searches.put(document("more", number("more", 1))).getFirst())
                    .isInstanceOf(WriteOutcome.Refused.class);
            assertThat(searches.put(document("same", number("f1", 1))).getFirst())
                    .isInstanceOf(WriteOutcome.Written.class);
        }
    }

    @Test
    void projectsNamespacesAndIndexesAreSeparate() {
        try (Searches searches = new Searches()) {
            SearchService service = searches.service;
            IndexName spaced = new IndexName("space", "index");
            IndexName other = new IndexName("", "index2");
            service.put("p", INDEX, List.of(document("d1", text("t", "word"))));
            service.put("q", INDEX, List.of(document("d2", text("t", "word"))));
            service.put("p", spaced, List.of(document("d3", text("t", "word"))));
            service.put("p", other, List.of(document("d4", text("t", "word"))));
            assertThat(found(service, "p", INDEX)).containsExactly("d1");
            assertThat(found(service, "q", INDEX)).containsExactly("d2");
            assertThat(found(service, "p", spaced)).containsExactly("d3");
            assertThat(found(service, "p", other)).containsExactly("d4");
            assertThat(service.search("q", spaced, Searches.request("", 1))).isNull();
            service.delete("q", INDEX, List.of("d1", "d2"));
            assertThat(found(service, "p", INDEX)).containsExactly("d1");
            assertThat(service.documents("p", spaced, "", true, 10)).hasSize(1);
            assertThat(service.documents("q", spaced, "", true, 10)).isEmpty();
            assertThat(service.indexes("p", "")).hasSize(2);
            assertThat(service.indexes("p", "space")).hasSize(1);
            assertThat(service.indexes("p", null)).hasSize(3);
            assertThat(service.indexes("q", null)).hasSize(1);
        }
    }

    private static List<String> found(SearchService service, String project, IndexName index) {
        return Searches.ids(
                Objects.requireNonNull(
                        service.search(project, index, Searches.request("word", 10))));
    }

    @Test
    void documentsAreListedById() {
        try (Searches searches = new Searches()) {
            for (String id : Arrays.asList("c", "a", "d", "b")) {
                searches.put(document(id, text("t", id)));
            }
            assertThat(list(searches, "", true, 3)).containsExactly("a", "b", "c");
            assertThat(list(searches, "b", true, 3)).containsExactly("b", "c", "d");
            assertThat(list(searches, "b", false, 1)).containsExactly("c");
            assertThat(list(searches, "bb", false, 9)).containsExactly("c", "d");
        }
    }

    private static List<String> list(
            Searches searches, String start, boolean inclusive, int limit) {
        return searches.service.documents(PROJECT, INDEX, start, inclusive, limit).stream()
                .map(SearchDocument::id)
                .toList();
    }

    @Test
    void schemasAreListedAndDeleted() {
        try (Searches searches = new Searches()) {
            SearchService service = searches.service;
            searches.put(document("d", text("a", "x"), number("a", 1), atom("b", "y")));
            assertThat(service.indexes(PROJECT, "").getFirst().schema().types("a"))
                    .containsExactly(SearchFieldType.TEXT, SearchFieldType.NUMBER);
            service.deleteSchema(PROJECT, INDEX);
            assertThat(service.indexes(PROJECT, "").getFirst().schema().fields()).isEmpty();
            assertThat(searches.ids("a:x")).containsExactly("d");
            searches.put(document("e", text("c", "x")));
            assertThat(service.indexes(PROJECT, "").getFirst().schema().fields())
                    .containsOnlyKeys("c");
            service.delete(PROJECT, INDEX, List.of("d", "e"));
            service.deleteSchema(PROJECT, INDEX);
            assertThat(service.indexes(PROJECT, "")).isEmpty();
            searches.put(document("f", text("c", "again")));
            assertThat(searches.ids("again")).containsExactly("f");
            assertThat(searches.ids("")).containsExactly("f");
        }
    }
}
