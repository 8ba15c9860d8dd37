package petrichor.server.apps;

import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.catalog.EffectiveQuotas;
import petrichor.apps.catalog.Quota;
import petrichor.base.OverQuota;
import petrichor.base.StorageQuota;
import petrichor.base.TimeSource;
import petrichor.frontends.apps.QuotaPages;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.services.blobs.BlobObject;
import petrichor.services.blobs.Blobs;
import petrichor.services.blobs.Bucket;
import petrichor.services.blobs.ListRequest;
import petrichor.services.blobs.Listing;
import petrichor.transactions.Branch;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;

/**
 * Keeps what apps store within their quotas: the current rows of their databases, with those of
 * indexes, and their objects. Both are read completely, in the background. In between, each write
 * counts with its own size, and what was deleted or replaced is noticed by the next measurement:
 * one begins after a write that would be over the quota, or that finds the last measurement {@link
 * #MEASURE_AGAIN} old. Thread-safe.
 */
final class StorageQuotas implements StorageQuota, AutoCloseable {
    /** Between two measurements of a project that writes. */
    static final Duration MEASURE_AGAIN = Duration.ofMinutes(5);

    /** The same for a project that is over its quota: it may have deleted something. */
    private static final Duration MEASURE_FULL_AGAIN = Duration.ofSeconds(1);

    /** A measurement is followed by a pause of this many times its own duration. */
    private static final int PAUSES = 10;

    private static final Logger LOG = LoggerFactory.getLogger(StorageQuotas.class);
    private static final Duration LOG_EVERY = Duration.ofMinutes(1);
    private static final int BUCKETS_PER_PAGE = 1_000;

    private final EffectiveQuotas quotas;
    private final Stored stored;
    private final TimeSource time;
    private final Map<String, OfProject> projects = new ConcurrentHashMap<>();
    private final ReentrantLock measuring = new ReentrantLock();
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();

    /**
     * What is measured.
     *
     * @param databases all of them, also for reading those of other servers
     * @param objects created by their first use
     * @param contentInRows whether the databases contain the contents of objects
     */
    record Stored(Supplier<Databases> databases, Supplier<Blobs> objects, boolean contentInRows) {}

    private static final class OfProject {
        private final AtomicLong bytes = new AtomicLong();
        private final AtomicBoolean requested = new AtomicBoolean();
        private final LongAdder refused = new LongAdder();
        private final AtomicLong loggedNanos = new AtomicLong();
        private volatile boolean measured;
        private volatile long measuredNanos;
        private volatile long pauseNanos;
    }

    StorageQuotas(EffectiveQuotas quotas, Stored stored, TimeSource time) {
        this.quotas = quotas;
        this.stored = stored;
        this.time = time;
    }

    private OfProject of(String project) {
        return projects.computeIfAbsent(project, _ -> new OfProject());
    }

    @Override
    public void require(String project, LongSupplier bytes) {
        OptionalLong limit = quotas.limit(project, Quota.STORAGE);
        if (limit.isEmpty()) {
            return;
        }
        OfProject use = of(project);
        long size = bytes.getAsLong();
        boolean fits = use.bytes.addAndGet(size) <= limit.getAsLong();
        if (!fits) {
            use.bytes.addAndGet(-size);
        }
        Duration again = fits ? MEASURE_AGAIN : MEASURE_FULL_AGAIN;
        long pause = Math.max(again.toNanos(), use.pauseNanos);
        if (!use.measured || time.monotonicNanos() - use.measuredNanos > pause) {
            measureLater(project, use);
        }
        if (!fits) {
            use.refused.increment();
            String text = Quota.STORAGE.unit().format(limit.getAsLong());
            log(project, use, text);
            throw OverQuota.of(project, Quota.STORAGE.label(), text);
        }
    }

    private void log(String project, OfProject use, String limit) {
        long now = time.monotonicNanos();
        long before = use.loggedNanos.get();
        if ((before == 0 || now - before >= LOG_EVERY.toNanos())
                && use.loggedNanos.compareAndSet(before, now)) {
            LOG.warn(
                    "quota app={} quota=storage limit={} use={} refused={}",
                    project,
                    limit,
                    use.bytes.get(),
                    use.refused.sum());
        }
    }

    private void measureLater(String project, OfProject use) {
        if (use.requested.compareAndSet(false, true)) {
            workers.execute(
                    () -> {
                        try {
                            measure(project, use);
                        } catch (RuntimeException unreadable) {
                            LOG.warn(
                                    "the bytes that {} stores were not measured: {}",
                                    project,
                                    unreadable.getMessage());
                        } finally {
                            use.requested.set(false);
                        }
                    });
        }
    }

    /** One project at a time. */
    private void measure(String project, OfProject use) {
        measuring.lock();
        try {
            long from = time.monotonicNanos();
            long before = use.bytes.get();
            long found = rows(project) + (stored.contentInRows() ? 0 : objects(project));
            // Writes that were admitted meanwhile count on top, though some may be in it.
            use.bytes.addAndGet(found - before);
            use.measuredNanos = time.monotonicNanos();
            use.pauseNanos = PAUSES * (use.measuredNanos - from);
            use.measured = true;
        } finally {
            measuring.unlock();
        }
    }

    private long rows(String project) {
        long bytes = 0;
        Databases databases = stored.databases().get();
        // Most rows of a branch are those of its parent.
        Set<String> branches =
                databases.branches().stream().map(Branch::name).collect(Collectors.toSet());
        for (String name : databases.names()) {
            if (!branches.contains(name)
                    && (name.equals(project) || name.startsWith(project + "/"))) {
                // It may have been dropped since.
                Database database = databases.openExisting(name);
                bytes += database == null ? 0 : rows(database);
            }
        }
        return bytes;
    }

    private static long rows(Database database) {
        long bytes = 0;
        try (Snapshot snapshot = database.snapshot();
                RowCursor rows = snapshot.scan(KeyRange.ALL, Direction.FORWARD)) {
            while (rows.next()) {
                bytes += rows.key().length + rows.value().length;
            }
        }
        return bytes;
    }

    private long objects(String project) {
        if (!stored.databases().get().names().contains(Blobs.DIRECTORY)) {
            return 0;
        }
        Blobs blobs = stored.objects().get();
        long bytes = 0;
        String after = "";
        boolean more = true;
        while (more) {
            var buckets = blobs.buckets().list(project, "", after, BUCKETS_PER_PAGE);
            for (Bucket bucket : buckets) {
                bytes += objects(blobs, bucket.name());
                after = bucket.name();
            }
            more = buckets.size() == BUCKETS_PER_PAGE;
        }
        return bytes;
    }

    /** With former versions. */
    private static long objects(Blobs blobs, String bucket) {
        long bytes = 0;
        String token = "";
        do {
            Listing page = blobs.objects().list(bucket, ListRequest.versions(token));
            bytes += page.objects().stream().mapToLong(BlobObject::bytes).sum();
            token = page.nextPageToken();
        } while (!token.isEmpty());
        return bytes;
    }

    /** What is known; measured now if nothing is. Blocks then. */
    QuotaPages.Usage measured(String project) {
        OfProject use = of(project);
        if (!use.measured) {
            measure(project, use);
        }
        return usage(project);
    }

    /** What is known; nothing before the first measurement. */
    QuotaPages.Usage usage(String project) {
        OfProject use = projects.get(project);
        return use == null
                ? QuotaPages.Usage.UNKNOWN
                : new QuotaPages.Usage(
                        use.measured ? OptionalLong.of(use.bytes.get()) : OptionalLong.empty(),
                        use.refused.sum());
    }

    @Override
    public void close() {
        workers.shutdownNow();
    }
}
