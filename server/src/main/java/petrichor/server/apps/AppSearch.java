package petrichor.server.apps;

import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.server.metrics.Readings;
import petrichor.services.search.SearchService;
import petrichor.services.search.SearchSettings;
import petrichor.transactions.Databases;

/**
 * The search service of all apps. The first call creates it: a server without searches has neither
 * Lucene's classes nor its files in memory. Thread-safe.
 */
public final class AppSearch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AppSearch.class);

    /** Share of the process's memory, for results and for the buffers of open indexes. */
    private static final int MEMORY_PERCENT = 30;

    /** The other half of the share is for results. */
    private static final int BUFFERS_SHARE = 2;

    private static final int MEGABYTE = 1 << 20;
    private static final int TIDY_S = 1;

    private final Supplier<Databases> databases;
    private final Optional<Path> folder;
    private final MemoryBudget memory;
    private final Executor workers;
    private @Nullable Open open;
    private boolean closed;

    /**
     * @param temporary folder to delete
     */
    private record Open(
            SearchService service, ScheduledExecutorService clock, Optional<Path> temporary) {}

    /**
     * @param databases of the current data, which a reset replaces
     * @param folder of the indexes; empty for a temporary one
     * @param workers open and close indexes; they may block
     */
    public AppSearch(
            Supplier<Databases> databases,
            Optional<Path> folder,
            MemoryBudget memory,
            Executor workers) {
        this.databases = databases;
        this.folder = folder;
        this.memory = memory.sharePercent("app search", MEMORY_PERCENT);
        this.workers = workers;
    }

    public synchronized SearchService service() {
        if (closed) {
            throw PetrichorException.of(ErrorCode.UNAVAILABLE, "The server is shutting down.");
        }
        Open current = open == null ? create() : open;
        open = current;
        return current.service();
    }

    private Open create() {
        Optional<Path> temporary = folder.isPresent() ? Optional.empty() : Optional.of(temporary());
        SearchService service =
                new SearchService(
                        databases,
                        SearchSettings.of(folder.or(() -> temporary).orElseThrow())
                                .withOpenIndexesMax(openIndexesMax()),
                        memory,
                        TimeSource.SYSTEM,
                        new SecureRandom(),
                        workers);
        ScheduledExecutorService clock =
                Executors.newSingleThreadScheduledExecutor(
                        Thread.ofPlatform().name("search-clock").daemon().factory());
        var _ = clock.scheduleWithFixedDelay(() -> tidy(service), TIDY_S, TIDY_S, TimeUnit.SECONDS);
        return new Open(service, clock, temporary);
    }

    /** As many as the memory has buffers for; an unused index is closed before another opens. */
    private int openIndexesMax() {
        long buffers = memory.bytesMax() / BUFFERS_SHARE;
        long one = (long) (SearchSettings.BUFFER_MEGABYTES * MEGABYTE);
        return Math.clamp(buffers / one, 1, SearchSettings.OPEN_INDEXES_MAX);
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("petrichor-search-");
        } catch (IOException e) {
            throw FileProblem.of("cannot create a temporary folder for search indexes", e);
        }
    }

    private static void tidy(SearchService service) {
        try {
            service.tidy();
        } catch (RuntimeException e) {
            LOG.warn("could not write search indexes to disk; trying again", e);
        }
    }

    public synchronized MetricSnapshots metrics() {
        return new Readings()
                .counter(
                        "petrichor_searches_total",
                        "Searches of apps.",
                        value(service -> service.metrics().searches()))
                .counter(
                        "petrichor_search_documents_written_total",
                        "Documents of search indexes that were put.",
                        value(service -> service.metrics().documentsWritten()))
                .counter(
                        "petrichor_search_documents_deleted_total",
                        "Documents of search indexes that were deleted.",
                        value(service -> service.metrics().documentsDeleted()))
                .gauge(
                        "petrichor_search_indexes_open",
                        "Open search indexes.",
                        value(SearchService::openIndexes))
                .counter(
                        "petrichor_search_rebuilds_total",
                        "Search indexes that were rebuilt because they were lost, damaged or too"
                                + " old.",
                        value(service -> service.metrics().rebuilds()))
                .gauge(
                        "petrichor_search_rebuild_documents",
                        "Documents that running rebuilds of search indexes have yet to add.",
                        value(service -> service.metrics().documentsToRebuild()))
                .counter(
                        "petrichor_search_changes_replayed_total",
                        "Changes that were replayed when search indexes were opened.",
                        value(service -> service.metrics().changesReplayed()))
                .gauge(
                        "petrichor_search_changes_uncommitted",
                        "Document changes that are visible but not yet on disk in search indexes.",
                        value(SearchService::uncommittedChanges))
                .snapshots();
    }

    private long value(ToLongFunction<SearchService> reading) {
        Open current = open;
        return current == null ? 0 : reading.applyAsLong(current.service());
    }

    /** Waits until all indexes are closed. */
    @Override
    public void close() {
        Open last;
        synchronized (this) {
            closed = true;
            last = open;
            open = null;
        }
        if (last == null) {
            return;
        }
        last.clock().shutdownNow();
        last.service().close();
        last.temporary().ifPresent(AppSearch::delete);
    }

    private static void delete(Path made) {
        try (var below = Files.walk(made)) {
            for (Path each : below.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            LOG.warn("cannot remove {}", made, e);
        }
    }
}
