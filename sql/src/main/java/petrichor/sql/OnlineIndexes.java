package petrichor.sql;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.sql.h2.H2Catalog;
import petrichor.sql.h2.H2Errors;
import petrichor.sql.h2.H2Session;
import petrichor.sql.h2.IndexCreation;
import petrichor.tables.CatalogImage;
import petrichor.tables.IndexBuild;
import petrichor.tables.IndexBuilds;
import petrichor.tables.StoredIndex;
import petrichor.tables.StoredTable;
import petrichor.tables.TableStore;
import petrichor.tables.TableTransaction;

/**
 * Builds the indexes of large tables while others write, and continues the builds of servers that
 * have stopped. A virtual thread watches the stored progress of builds while the catalog contains
 * any; a build whose progress stands still is taken over. Thread-safe.
 */
final class OnlineIndexes implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OnlineIndexes.class);

    /** A build that stored no progress for this long is taken over. */
    static final Duration STANDSTILL_MAX = Duration.ofSeconds(5);

    private static final Duration WATCH_INTERVAL = Duration.ofMillis(500);
    private static final Duration CLOSE_MAX = Duration.ofSeconds(30);
    private static final Duration LOG_INTERVAL = Duration.ofSeconds(10);

    /** Steps in succession that lose against writers. */
    private static final int CONFLICTS_MAX = 10_000;

    private static final int DROP_ATTEMPTS_MAX = 100;

    /** Tables that H2 creates for ALTER TABLE. */
    private static final int ALTERED_TABLES = 2;

    private final String name;
    private final TableStore store;
    private final IndexBuilds builds;
    private final Duration standstillMax;
    private final Set<Integer> here = ConcurrentHashMap.newKeySet();
    private @Nullable Thread watcher;
    private volatile boolean closed;

    OnlineIndexes(String name, TableStore store, long builder, Duration standstillMax) {
        this.standstillMax = standstillMax;
        this.name = name;
        this.store = store;
        this.builds = new IndexBuilds(store, builder);
    }

    IndexBuilds builds() {
        return builds;
    }

    /**
     * Builds an index. If it cannot be built, it is dropped; after other failures, the build
     * continues in the background.
     */
    void build(IndexBuild build, BooleanSupplier canceled) {
        here.add(build.index());
        try {
            run(build, canceled);
        } finally {
            here.remove(build.index());
        }
    }

    private void run(IndexBuild build, BooleanSupplier canceled) {
        IndexBuilds.Builder builder = builds.builder(build);
        int conflicts = 0;
        long logged = System.nanoTime();
        LOG.info("{}: building the index {}", name, build.index());
        while (true) {
            if (closed) {
                throw new SqlException(
                        SqlState.CANNOT_CONNECT_NOW,
                        "the server is stopping; the index build continues when it, or another"
                                + " server, uses the database");
            }
            if (canceled.getAsBoolean()) {
                drop(build);
                throw new SqlException(
                        SqlState.QUERY_CANCELED,
                        "canceling statement due to user request or timeout");
            }
            switch (builder.step()) {
                case IndexBuilds.Step.Advanced(long rows) -> {
                    conflicts = 0;
                    if (System.nanoTime() - logged > LOG_INTERVAL.toNanos()) {
                        logged = System.nanoTime();
                        LOG.info("{}: the index {} has {} rows", name, build.index(), rows);
                    }
                }
                case IndexBuilds.Step.Conflicted _ -> {
                    conflicts++;
                    if (conflicts > CONFLICTS_MAX) {
                        throw new SqlException(
                                SqlState.SERIALIZATION_FAILURE,
                                "the index build lost against too many writers; it continues in"
                                        + " the background");
                    }
                }
                case IndexBuilds.Step.Built(long rows) -> {
                    LOG.info("{}: built the index {} over {} rows", name, build.index(), rows);
                    return;
                }
                case IndexBuilds.Step.Duplicated duplicated -> {
                    drop(build);
                    throw duplicate(duplicated);
                }
                case IndexBuilds.Step.Dropped _ ->
                        throw new SqlException(
                                SqlState.UNDEFINED_OBJECT,
                                "the index was dropped while it was built");
                case IndexBuilds.Step.TakenOver _ ->
                        throw new SqlException(
                                SqlState.NOT_IN_PREREQUISITE_STATE,
                                "another server continues the index build, because this one stood"
                                        + " still");
            }
        }
    }

    private static SqlException duplicate(IndexBuilds.Step.Duplicated found) {
        StoredTable table = found.table();
        StringBuilder names = new StringBuilder();
        StringBuilder values = new StringBuilder();
        for (StoredIndex.Part part : found.index().parts()) {
            int position = table.position(part.column());
            String separator = names.isEmpty() ? "" : ", ";
            names.append(separator).append(table.columns().get(position).name());
            values.append(separator).append(found.values()[position]);
        }
        return new SqlException(
                SqlState.UNIQUE_VIOLATION,
                "could not create unique index \""
                        + found.index().name()
                        + "\": Key ("
                        + names
                        + ")=("
                        + values
                        + ") is duplicated.");
    }

    /** Returns to the catalog without the index. */
    private void drop(IndexBuild build) {
        for (int attempt = 1; ; attempt++) {
            try (TableTransaction transaction = store.begin()) {
                CatalogImage image = store.catalog(transaction);
                try (H2Catalog copy = H2Catalog.open(store, image);
                        H2Session h2 = copy.connect("petrichor")) {
                    String text = h2.dropping(build.table(), build.index());
                    if (text != null) {
                        boolean _ =
                                h2.define(
                                        transaction,
                                        text,
                                        ALTERED_TABLES,
                                        IndexCreation.IN_TRANSACTION,
                                        Duration.ZERO);
                        CatalogImage _ = copy.save(transaction, image);
                    }
                }
                builds.abandon(transaction, build.index());
                transaction.commit();
                break;
            } catch (PetrichorException failed) {
                if (failed.code() != ErrorCode.ABORTED || attempt == DROP_ATTEMPTS_MAX) {
                    throw H2Errors.translate(failed, List.of());
                }
            }
        }
        store.purge();
    }

    /** Watches the builds of a catalog, if it has any. */
    void watch(CatalogImage image) {
        boolean any =
                image.tables().stream()
                        .flatMap(table -> table.indexes().stream())
                        .anyMatch(index -> !index.readable());
        if (any) {
            start();
        }
    }

    private synchronized void start() {
        if (!closed && watcher == null) {
            watcher = Thread.ofVirtual().name("index-builds").start(this::watchAll);
        }
    }

    private void watchAll() {
        Map<Integer, IndexBuild> seen = new HashMap<>();
        Map<Integer, Long> since = new HashMap<>();
        while (!closed) {
            try {
                List<IndexBuild> running = builds.running();
                if (running.isEmpty() && ended()) {
                    return;
                }
                for (IndexBuild build : running) {
                    IndexBuild known = seen.put(build.index(), build);
                    boolean moves = known == null || known.attempts() != build.attempts();
                    long now = System.nanoTime();
                    long from = moves ? now : since.getOrDefault(build.index(), now);
                    since.put(build.index(), from);
                    boolean still =
                            now - from > standstillMax.toNanos() && !here.contains(build.index());
                    if (still && builds.takeOver(build)) {
                        since.put(build.index(), now);
                        resume(build);
                    }
                }
            } catch (RuntimeException failed) {
                LOG.warn("{}: cannot continue the index builds now: {}", name, failed.getMessage());
            }
            LockSupport.parkNanos(WATCH_INTERVAL.toNanos());
        }
    }

    private synchronized boolean ended() {
        watcher = null;
        return true;
    }

    private void resume(IndexBuild build) {
        LOG.info("{}: continues the index build {} of another server", name, build.index());
        try {
            build(build, () -> false);
        } catch (SqlException refused) {
            LOG.warn(
                    "{}: the index {} was not built: {}",
                    name,
                    build.index(),
                    refused.getMessage());
        }
    }

    @Override
    public void close() {
        Thread watching;
        synchronized (this) {
            closed = true;
            watching = watcher;
        }
        if (watching != null) {
            LockSupport.unpark(watching);
            try {
                boolean _ = watching.join(CLOSE_MAX);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
