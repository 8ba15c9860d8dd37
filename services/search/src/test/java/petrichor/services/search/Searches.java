package petrichor.services.search;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.services.search.model.FacetRequest;
import petrichor.services.search.model.FieldValue;
import petrichor.services.search.model.IndexName;
import petrichor.services.search.model.SearchDocument;
import petrichor.services.search.model.SearchFacet;
import petrichor.services.search.model.SearchField;
import petrichor.services.search.model.SearchFieldType;
import petrichor.services.search.model.SearchRequest;
import petrichor.services.search.model.SearchResults;
import petrichor.transactions.databases.RowDatabases;

/** A search service over a store, with shorthands for tests. */
public final class Searches implements AutoCloseable {
    static final String PROJECT = "p";
    static final IndexName INDEX = new IndexName("", "index");

    final RowDatabases databases;
    final SearchService service;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    Searches() {
        this(MemoryStore.open(), SearchSettings.of(null));
    }

    Searches(KeyValueStore store, @Nullable Path folder) {
        this(store, SearchSettings.of(folder));
    }

    Searches(KeyValueStore store, SearchSettings settings) {
        databases = new RowDatabases(store);
        service =
                new SearchService(
                        () -> databases,
                        settings,
                        MemoryBudget.unlimited(),
                        TimeSource.SYSTEM,
                        new Random(1),
                        threads);
    }

    static SearchDocument document(String id, SearchField... fields) {
        return new SearchDocument(id, "en", 100, List.of(fields), List.of());
    }

    static SearchDocument ranked(String id, int rank, SearchField... fields) {
        return new SearchDocument(id, "en", rank, List.of(fields), List.of());
    }

    static SearchDocument withFacets(SearchDocument document, SearchFacet... facets) {
        return new SearchDocument(
                document.id(),
                document.language(),
                document.rank(),
                document.fields(),
                Arrays.asList(facets));
    }

    static SearchField text(String name, String text) {
        return new SearchField(name, new FieldValue.Text(SearchFieldType.TEXT, text));
    }

    static SearchField html(String name, String text) {
        return new SearchField(name, new FieldValue.Text(SearchFieldType.HTML, text));
    }

    static SearchField atom(String name, String text) {
        return new SearchField(name, new FieldValue.Text(SearchFieldType.ATOM, text));
    }

    static SearchField prefix(String name, SearchFieldType type, String text) {
        return new SearchField(name, new FieldValue.Text(type, text));
    }

    static SearchField number(String name, double number) {
        return new SearchField(name, new FieldValue.Numeric(number));
    }

    static SearchField date(String name, long epochMillis) {
        return new SearchField(name, new FieldValue.Date(epochMillis));
    }

    static SearchField point(String name, double latitude, double longitude) {
        return new SearchField(name, new FieldValue.GeoPoint(latitude, longitude));
    }

    List<WriteOutcome> put(SearchDocument... documents) {
        return service.put(PROJECT, INDEX, Arrays.asList(documents));
    }

    SearchResults search(SearchRequest request) {
        SearchResults results = service.search(PROJECT, INDEX, request);
        return results == null ? SearchResults.EMPTY : results;
    }

    List<String> ids(String query) {
        return ids(request(query, 1_000));
    }

    List<String> ids(SearchRequest request) {
        return ids(search(request));
    }

    static List<String> ids(SearchResults results) {
        return results.hits().stream().map(hit -> hit.document().id()).toList();
    }

    static SearchRequest request(String query, int limit) {
        return with(query, SearchRequest.Page.first(limit), List.of());
    }

    static SearchRequest sorted(String query, SearchRequest.SortKey... keys) {
        return with(query, SearchRequest.Page.first(1_000), Arrays.asList(keys));
    }

    static SearchRequest with(
            String query, SearchRequest.Page page, List<SearchRequest.SortKey> keys) {
        return new SearchRequest(
                query,
                page,
                SearchRequest.Scorer.NONE,
                keys,
                SearchRequest.Projection.EVERYTHING,
                FacetRequest.NONE);
    }

    static SearchRequest.SortKey ascending(String expression) {
        return new SearchRequest.SortKey(expression, false, null, null);
    }

    static SearchRequest.SortKey descending(String expression) {
        return new SearchRequest.SortKey(expression, true, null, null);
    }

    /** All ids by the rows. */
    List<String> rows() {
        List<String> ids = new ArrayList<>();
        String start = "";
        while (true) {
            List<SearchDocument> page =
                    service.documents(PROJECT, INDEX, start, start.isEmpty(), 100);
            if (page.isEmpty()) {
                return ids;
            }
            page.forEach(document -> ids.add(document.id()));
            start = ids.getLast();
        }
    }

    @Override
    public void close() {
        service.close();
        databases.close();
        threads.close();
    }
}
