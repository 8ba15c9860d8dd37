package petrichor.analytics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.sql.AnalyticsEngine;
import petrichor.sql.ResultColumn;

/**
 * Executes queries in a worker, which it starts for the first one and after each crash.
 * Thread-safe; closed after the sessions that use it.
 */
public final class Analytics implements AnalyticsEngine, AutoCloseable {
    /** Estimated rows from which {@code auto} chooses this engine. */
    static final long AUTO_ROWS_MIN = 50_000;

    private final AnalyticsSettings settings;
    private final Map<String, DatabaseSegments> databases = new HashMap<>();
    private final RowEstimates estimates = new RowEstimates(AUTO_ROWS_MIN);
    private final KindSources kinds = new KindSources();
    private @Nullable Worker worker;
    private boolean closed;

    private Analytics(AnalyticsSettings settings) {
        this.settings = settings;
    }

    /** Starts nothing before the first query. */
    public static Analytics open(AnalyticsSettings settings) {
        return new Analytics(settings);
    }

    /** The segments of a database in the running worker, which is started if there is none. */
    synchronized DatabaseSegments segments(Query query) {
        if (closed) {
            throw AnalyticsFailures.canceled();
        }
        Worker running = worker;
        if (running == null || !running.alive()) {
            databases.clear();
            if (running != null) {
                worker = null;
                running.close();
            }
            running = Worker.start(settings);
            worker = running;
        }
        Worker current = running;
        String name = query.database().name();
        DatabaseSegments known = databases.get(name);
        if (known == null || !known.of(query.database())) {
            known = new DatabaseSegments(current, query.database(), settings, kinds);
            databases.put(name, known);
        }
        return known;
    }

    /** What a query reads. */
    QuerySources sources(Query query) {
        return QuerySources.of(query, kinds);
    }

    /** Process id of the worker; -1 if none runs. */
    public synchronized long workerId() {
        Worker running = worker;
        return running == null || !running.alive() ? -1 : running.pid();
    }

    @Override
    public Execution execution(Query query) {
        return new AnalyticsQuery(this, query);
    }

    @Override
    public FileRows export(Query query) {
        return new AnalyticsExport(new AnalyticsQuery(this, query));
    }

    @Override
    public List<ResultColumn> describe(Query query) {
        try (AnalyticsQuery described = new AnalyticsQuery(this, query)) {
            return described.describe();
        }
    }

    @Override
    public boolean suits(Query query) {
        Set<String> words = new HashSet<>();
        query.words().forEach(word -> words.add(word.toUpperCase(Locale.ROOT)));
        if (words.stream().noneMatch(AnalyticWords.ALL::contains)) {
            return false;
        }
        long rows = 0;
        for (SegmentSource source : sources(query).sources()) {
            rows += estimates.rows(query.database(), query.version(), source);
            if (rows >= AUTO_ROWS_MIN) {
                return true;
            }
        }
        return false;
    }

    /** Removes a folder of a worker that has ended; no effect if it does not exist. */
    public static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    @Override
    public void close() {
        Worker running;
        synchronized (this) {
            closed = true;
            running = worker;
            worker = null;
        }
        if (running != null) {
            running.close();
        }
    }
}
