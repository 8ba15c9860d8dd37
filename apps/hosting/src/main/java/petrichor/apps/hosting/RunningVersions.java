package petrichor.apps.hosting;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.builds.BuildResult;
import petrichor.apps.builds.Builds;
import petrichor.apps.builds.Sources;
import petrichor.apps.catalog.AppCatalog;
import petrichor.apps.catalog.AppConfiguration;
import petrichor.apps.catalog.AppRecord;
import petrichor.apps.catalog.AppVariables;
import petrichor.apps.catalog.ServiceRecord;
import petrichor.apps.catalog.VersionRecord;
import petrichor.apps.manifest.InboundService;
import petrichor.apps.router.table.RoutingTable;
import petrichor.apps.router.table.VersionName;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The versions of the catalog that this server can run, with their fleets and the router's table.
 * Changes of the catalog and of these versions happen together, under one lock. Thread-safe.
 */
final class RunningVersions {
    private static final Logger LOG = LoggerFactory.getLogger(RunningVersions.class);

    private final HostingSettings settings;
    private final AppCatalog catalog;
    private final Builds builds;
    private final Preparation preparation;
    private final VersionFleets versions;
    private final Fleets fleets;
    private final Consumer<RoutingTable> router;
    private final Map<VersionName, HostedVersion> hosted = new ConcurrentHashMap<>();
    private final ReentrantLock changing = new ReentrantLock();

    RunningVersions(
            HostingSettings settings,
            AppCatalog catalog,
            Builds builds,
            Preparation preparation,
            VersionFleets versions,
            Fleets fleets,
            Consumer<RoutingTable> router) {
        this.settings = settings;
        this.catalog = catalog;
        this.builds = builds;
        this.preparation = preparation;
        this.versions = versions;
        this.fleets = fleets;
        this.router = router;
    }

    /** Runs the apps of the catalog; those that cannot run are logged. */
    void restore() {
        for (AppRecord app : catalog.list()) {
            restore(app);
        }
        route();
    }

    private void restore(AppRecord app) {
        for (ServiceRecord service : app.services().values()) {
            for (VersionRecord record : service.versions().values()) {
                VersionName name = new VersionName(app.name(), service.name(), record.name());
                try {
                    restore(name, record);
                } catch (PetrichorException e) {
                    LOG.error("{} is not served: {}", name, e.getMessage());
                }
            }
        }
    }

    private void restore(VersionName name, VersionRecord record) {
        Sources sources =
                builds.sources()
                        .find(record.sources())
                        .orElseThrow(
                                () ->
                                        PetrichorException.of(
                                                ErrorCode.NOT_FOUND,
                                                "its sources are not on this server; deploy it"
                                                        + " again"));
        AppManifest manifest = AppManifest.read(sources.folder());
        switch (preparation.build(name, sources, manifest, _ -> {}, Cancellation.never())) {
            case BuildResult.Built built -> {
                HostedVersion version =
                        preparation.prepared(name, record, sources, manifest, built);
                hosted.put(name, version);
                if (record.serving()) {
                    var _ = fleets.put(fleet(version));
                }
            }
            case BuildResult.BuildFailed(_, String reason, Path log) ->
                    LOG.error("{} is not served: {}; see {}", name, reason, log);
        }
    }

    AppConfiguration configuration(String app) {
        return catalog.find(app).map(AppRecord::configuration).orElse(AppConfiguration.NONE);
    }

    AppVariables variables(String app) {
        return configuration(app).variables();
    }

    /** A new fleet, with the app's variables. */
    private Fleet fleet(HostedVersion version) {
        return versions.fleet(version, variables(version.name().app()));
    }

    /** Null if this server cannot run it. */
    @Nullable HostedVersion find(VersionName version) {
        return hosted.get(version);
    }

    /** Changes of the catalog, and of what runs, wait for each other. */
    <T> T changed(Supplier<T> change) {
        changing.lock();
        try {
            T result = change.get();
            route();
            return result;
        } finally {
            changing.unlock();
        }
    }

    /** Within {@link #changed}. Returns the fleet that this one replaces; null if there is none. */
    @Nullable Fleet put(HostedVersion version, Fleet fleet) {
        hosted.put(version.name(), version);
        return fleets.put(fleet);
    }

    /** Within {@link #changed}. */
    void setServing(VersionName version, boolean serving) {
        HostedVersion known = hosted.get(version);
        if (serving && known != null && fleets.find(version) == null) {
            var _ = fleets.put(fleet(known));
        } else if (!serving) {
            retire(version, "the version was stopped");
        }
    }

    /** Within {@link #changed}. */
    void remove(VersionName version, String reason) {
        hosted.remove(version);
        retire(version, reason);
    }

    /** All versions of an app. Within {@link #changed}. */
    void forget(String app) {
        hosted.keySet().removeIf(version -> version.app().equals(app));
    }

    void retire(VersionName version, String reason) {
        Fleet fleet = fleets.remove(version);
        if (fleet != null) {
            var _ = fleets.retire(fleet, reason);
        }
    }

    private void route() {
        router.accept(RoutingTables.of(settings, catalog.list(), hosted));
    }

    /** The fleets of an app, in the order of their names. */
    List<FleetStatus> status(String app) {
        return fleets.all().stream()
                .map(Fleet::status)
                .filter(status -> status.version().app().equals(app))
                .sorted(java.util.Comparator.comparing(status -> status.version().toString()))
                .toList();
    }

    /** Hashes of the builds and sources that versions use: a restart needs both. */
    Set<String> deployedBuilds() {
        return HostedVersion.hashes(hosted.values());
    }

    /** The apps with a version that has one of these inbound services. */
    Set<String> receiving(Set<InboundService> services) {
        return HostedVersion.receiving(hosted.values(), services);
    }
}
