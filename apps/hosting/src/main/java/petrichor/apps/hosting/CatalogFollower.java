package petrichor.apps.hosting;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.catalog.AppCatalog;
import petrichor.apps.catalog.AppRecord;
import petrichor.apps.catalog.AppVariables;
import petrichor.apps.catalog.ServiceRecord;
import petrichor.apps.catalog.StoredSources;
import petrichor.apps.catalog.VersionRecord;
import petrichor.apps.router.table.VersionName;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/**
 * Runs on this server what the catalog says, also after changes on other servers of the cluster: it
 * polls the catalog's revision. A version is built from the shared sources; if it gets requests,
 * one of its instances becomes ready before the router sends requests to it. Until then, the former
 * versions answer. What fails is tried again later. While the catalog cannot be read, everything
 * keeps running.
 */
final class CatalogFollower implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CatalogFollower.class);

    /** A change takes effect on the other servers within a second, if nothing has to be built. */
    private static final Duration POLL = Duration.ofMillis(300);

    /** Between attempts to run what has failed. */
    private static final Duration RETRY = Duration.ofSeconds(20);

    /** Between removals of sources that no version uses. */
    private static final Duration COLLECT = Duration.ofHours(1);

    private static final long UNKNOWN = -1;

    private final AppCatalog catalog;
    private final StoredSources sources;
    private final RunningVersions running;
    private final VersionFleets versions;
    private final Fleets fleets;
    private final TimeSource time;
    private final Executor workers;
    private final Set<VersionName> updating = ConcurrentHashMap.newKeySet();
    private final CountDownLatch stop = new CountDownLatch(1);
    private volatile long applied = UNKNOWN;
    private long checkedNanos;
    private long collectedNanos;
    private boolean readable = true;

    /**
     * @param sources that the servers share
     * @param workers threads that may block
     */
    CatalogFollower(
            AppCatalog catalog,
            StoredSources sources,
            RunningVersions running,
            VersionFleets versions,
            Fleets fleets,
            TimeSource time,
            Executor workers) {
        this.catalog = catalog;
        this.sources = sources;
        this.running = running;
        this.versions = versions;
        this.fleets = fleets;
        this.time = time;
        this.workers = workers;
        this.collectedNanos = time.monotonicNanos();
    }

    void start() {
        var _ = Thread.ofVirtual().name("catalog-follower").start(this::run);
    }

    private void run() {
        boolean stopped = false;
        while (!stopped) {
            try {
                poll();
                readable = true;
                stopped = stop.await(POLL.toMillis(), TimeUnit.MILLISECONDS);
            } catch (PetrichorException unreadable) {
                if (readable) {
                    LOG.warn("the catalog of apps cannot be read: {}", unreadable.getMessage());
                }
                readable = false;
                stopped = paused();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return;
            } catch (RuntimeException unforeseen) {
                LOG.error("could not follow the catalog of apps", unforeseen);
                stopped = paused();
            }
        }
    }

    private boolean paused() {
        try {
            return stop.await(POLL.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private void poll() {
        long revision = catalog.revision();
        long now = time.monotonicNanos();
        if (revision != applied || now - checkedNanos > RETRY.toNanos()) {
            // An update that ends from here on resets it.
            applied = revision;
            checkedNanos = now;
            for (VersionName version : running.follow()) {
                if (updating.add(version)) {
                    workers.execute(() -> update(version, revision));
                }
            }
        }
        if (now - collectedNanos > COLLECT.toNanos()) {
            collectedNanos = now;
            collect();
        }
    }

    /** One server is enough. */
    private void collect() {
        if (sources.isOwnedHere()) {
            Set<String> used =
                    catalog.list().stream()
                            .flatMap(app -> app.services().values().stream())
                            .flatMap(service -> service.versions().values().stream())
                            .map(VersionRecord::sources)
                            .collect(Collectors.toSet());
            int removed = sources.collect(used);
            if (removed > 0) {
                LOG.info("removed {} archives of sources that no version uses", removed);
            }
        }
    }

    /** What a version should be, according to the catalog. */
    private record Wanted(VersionRecord record, AppVariables variables, boolean getsRequests) {}

    private Optional<Wanted> wanted(VersionName version) {
        Optional<AppRecord> app = catalog.find(version.app());
        ServiceRecord service =
                app.map(known -> known.services().get(version.service())).orElse(null);
        VersionRecord record = service == null ? null : service.versions().get(version.version());
        return app.isEmpty() || service == null || record == null
                ? Optional.empty()
                : Optional.of(
                        new Wanted(
                                record,
                                app.get().configuration().variables(),
                                service.hasTraffic(version.version())));
    }

    private void update(VersionName version, long revision) {
        boolean again = true;
        try {
            Optional<Wanted> wanted = wanted(version);
            if (wanted.isPresent()) {
                again = updated(version, wanted.get());
            }
        } catch (PetrichorException e) {
            again = false;
            if (stop.getCount() > 0) {
                LOG.error("{} is not served on this server: {}", version, e.getMessage());
            }
        } catch (RuntimeException unforeseen) {
            again = false;
            LOG.error("{} is not served on this server", version, unforeseen);
        } finally {
            updating.remove(version);
            if (again || applied != revision) {
                applied = UNKNOWN;
            }
        }
    }

    /** False if its instance has failed. */
    private boolean updated(VersionName version, Wanted wanted) {
        HostedVersion next = running.prepared(version, wanted.record());
        Fleet fleet = null;
        if (wanted.record().serving()) {
            fleet = versions.fleet(next, wanted.variables());
            // Without a former version, requests wait for the first instance.
            boolean needsInstance =
                    wanted.getsRequests()
                            && running.isRouted(version)
                            && !versions.awaitElsewhere(fleet);
            Optional<DeployResult.Failed> failed =
                    needsInstance ? versions.startFirst(fleet) : Optional.empty();
            if (failed.isPresent()) {
                LOG.error("{} is not served on this server: {}", version, failed.get().reason());
                return false;
            }
        }
        Swap swap = swapped(version, wanted, next, fleet);
        if (!swap.done() && fleet != null) {
            var _ = fleet.close("the catalog changed");
        }
        if (swap.former() != null) {
            var _ = fleets.retire(swap.former(), "another server changed the app");
        }
        return true;
    }

    /**
     * @param former the fleet that was replaced
     */
    private record Swap(boolean done, @Nullable Fleet former) {}

    private Swap swapped(
            VersionName version, Wanted wanted, HostedVersion next, @Nullable Fleet fleet) {
        return running.changed(
                () -> {
                    Optional<Wanted> now = wanted(version);
                    boolean same =
                            now.isPresent()
                                    && now.get().record().equals(wanted.record())
                                    && now.get().variables().equals(wanted.variables());
                    return same ? new Swap(true, running.put(next, fleet)) : new Swap(false, null);
                });
    }

    @Override
    public void close() {
        stop.countDown();
    }
}
