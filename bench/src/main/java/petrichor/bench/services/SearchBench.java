package petrichor.bench.services;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.kv.KeyValueStore;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.services.search.SearchService;
import petrichor.services.search.SearchSettings;
import petrichor.services.search.model.FacetRequest;
import petrichor.services.search.model.IndexName;
import petrichor.services.search.model.SearchRequest;
import petrichor.services.search.model.SearchRequest.Cursors;
import petrichor.services.search.model.SearchRequest.Page;
import petrichor.services.search.model.SearchRequest.Projection;
import petrichor.services.search.model.SearchRequest.Scorer;
import petrichor.services.search.model.SearchRequest.SortKey;
import petrichor.transactions.databases.RowDatabases;

/**
 * Searches over generated documents in the service itself, without the wire: puts all documents,
 * then runs a mix of searches on one thread and reports the latency of each kind and of all.
 */
public final class SearchBench {
    private static final String PROJECT = "bench";
    private static final IndexName INDEX = new IndexName("", "products");
    private static final int DOCUMENTS_PER_PUT = 200;
    private static final int WARM_UP = 300;

    private final int documents;
    private final int searches;
    private final Random random = new Random(42);
    private final SearchDocuments generator = new SearchDocuments(random);

    /** Milliseconds. */
    public record Latency(String kind, int count, double median, double p99, double max) {}

    /**
     * @param put seconds until the last put was acknowledged
     * @param reopened seconds to build the copy from the rows
     */
    public record Result(Duration put, Duration reopened, List<Latency> latencies) {}

    public SearchBench(int documents, int searches) {
        this.documents = documents;
        this.searches = searches;
    }

    /**
     * @param arguments an empty folder, the number of documents, the number of searches
     */
    public static void main(String[] arguments) {
        SearchBench bench =
                new SearchBench(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
        Result result = bench.run(Path.of(arguments[0]));
        System.out.printf(
                "put %.1f s, built from rows %.1f s%n",
                result.put().toMillis() / 1e3, result.reopened().toMillis() / 1e3);
        for (Latency latency : result.latencies()) {
            System.out.printf(
                    "%-12s %6d  median %6.2f ms  p99 %6.2f ms  max %6.2f ms%n",
                    latency.kind(),
                    latency.count(),
                    latency.median(),
                    latency.p99(),
                    latency.max());
        }
    }

    /** Keeps the store and the copies in the folder. */
    public Result run(Path folder) {
        Duration put;
        try (KeyValueStore store = RocksStore.open(folder.resolve("data"));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Opened opened = open(store, folder.resolve("copies"), threads)) {
            put = put(opened.service());
        }
        try (KeyValueStore store = RocksStore.open(folder.resolve("data"));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Opened opened = open(store, folder.resolve("copies-2"), threads)) {
            long start = System.nanoTime();
            opened.service().search(PROJECT, INDEX, SearchRequest.of("first"));
            Duration reopened = Duration.ofNanos(System.nanoTime() - start);
            return new Result(put, reopened, measure(opened.service()));
        }
    }

    private record Opened(RowDatabases databases, SearchService service) implements AutoCloseable {
        @Override
        public void close() {
            service.close();
            databases.close();
        }
    }

    private static Opened open(KeyValueStore store, Path copies, ExecutorService threads) {
        RowDatabases databases = new RowDatabases(store);
        SearchSettings standard = SearchSettings.of(copies);
        SearchSettings waiting =
                new SearchSettings(
                        standard.folder(),
                        standard.indexBytesMax(),
                        standard.fieldNamesMax(),
                        standard.openIndexesMax(),
                        standard.bufferMegabytes(),
                        Duration.ofMinutes(10),
                        standard.commitPeriod(),
                        standard.idleMax(),
                        standard.retainedChanges());
        SearchService service =
                new SearchService(
                        () -> databases,
                        waiting,
                        MemoryBudget.unlimited(),
                        TimeSource.SYSTEM,
                        new Random(),
                        threads);
        return new Opened(databases, service);
    }

    private Duration put(SearchService service) {
        long start = System.nanoTime();
        for (int from = 0; from < documents; from += DOCUMENTS_PER_PUT) {
            service.put(
                    PROJECT,
                    INDEX,
                    generator.documents(from, Math.min(DOCUMENTS_PER_PUT, documents - from)));
        }
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private List<Latency> measure(SearchService service) {
        for (int i = 0; i < WARM_UP; i++) {
            requests().values().forEach(request -> service.search(PROJECT, INDEX, request));
        }
        Map<String, List<Double>> millis = new LinkedHashMap<>();
        List<Double> all = new ArrayList<>();
        for (int i = 0; i < searches; ) {
            for (Map.Entry<String, SearchRequest> entry : requests().entrySet()) {
                long start = System.nanoTime();
                service.search(PROJECT, INDEX, entry.getValue());
                double taken = (System.nanoTime() - start) / 1e6;
                millis.computeIfAbsent(entry.getKey(), _ -> new ArrayList<>()).add(taken);
                all.add(taken);
                i++;
            }
        }
        List<Latency> latencies = new ArrayList<>();
        millis.forEach((kind, values) -> latencies.add(latency(kind, values)));
        latencies.add(latency("all", all));
        return latencies;
    }

    private static Latency latency(String kind, List<Double> millis) {
        double[] sorted = millis.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return new Latency(
                kind,
                sorted.length,
                sorted[sorted.length / 2],
                sorted[Math.min(sorted.length - 1, sorted.length * 99 / 100)],
                Arrays.stream(sorted).max().orElse(0));
    }

    private Map<String, SearchRequest> requests() {
        Map<String, SearchRequest> requests = new LinkedHashMap<>();
        String word = generator.word();
        requests.put("word", SearchRequest.of(word));
        requests.put("frequent", SearchRequest.of(generator.frequentWord()));
        requests.put("words", SearchRequest.of(word + " " + generator.frequentWord()));
        requests.put("phrase", SearchRequest.of('"' + generator.phrase() + '"'));
        requests.put("stem", SearchRequest.of("title:~" + word));
        requests.put(
                "either", SearchRequest.of(word + " OR " + generator.word() + " NOT brand:b3"));
        int price = random.nextInt(900);
        requests.put(
                "range",
                SearchRequest.of("price >= " + price + " price < " + (price + 50) + " brand:b5"));
        String near =
                "distance(place, geopoint("
                        + (48 + random.nextInt(6))
                        + ", "
                        + (8 + random.nextInt(6))
                        + "))";
        requests.put("near", request(near + " < 30000", Scorer.NONE, near, false));
        requests.put(
                "scored",
                request(word + " OR " + generator.frequentWord(), Scorer.MATCH, "_score", true));
        requests.put("sorted", request("", Scorer.NONE, "price / 2 + max(stock, 5)", true));
        requests.put("prefix", SearchRequest.of("name:" + word.substring(0, 3)));
        requests.put("everything", SearchRequest.of(""));
        requests.put(
                "facets",
                new SearchRequest(
                        generator.frequentWord(),
                        Page.first(20),
                        Scorer.NONE,
                        List.of(),
                        Projection.EVERYTHING,
                        new FacetRequest(10, 10, 1_000, List.of(), List.of())));
        requests.put(
                "page",
                new SearchRequest(
                        generator.frequentWord(),
                        new Page(100, 900, null, Cursors.PER_RESULT),
                        Scorer.NONE,
                        List.of(),
                        Projection.EVERYTHING,
                        FacetRequest.NONE));
        return requests;
    }

    private static SearchRequest request(
            String query, Scorer scorer, String sort, boolean descending) {
        return new SearchRequest(
                query,
                Page.first(20),
                scorer,
                List.of(new SortKey(sort, descending, null, 0.0)),
                Projection.EVERYTHING,
                FacetRequest.NONE);
    }
}
