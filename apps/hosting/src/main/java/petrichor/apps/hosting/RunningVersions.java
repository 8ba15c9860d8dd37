package petrichor.apps.hosting;

import java.nio.file.Path;
import java.util.HashSet;
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
import petrichor.apps.builds.Sources;
import petrichor.apps.catalog.AppCatalog;
import petrichor.apps.catalog.AppConfiguration;
import petrichor.apps.catalog.AppRecord;
import petrichor.apps.catalog.AppVariables;
import petrichor.apps.catalog.ServiceRecord;
import petrichor.apps.catalog.VersionRecord;
import petrichor.apps.manifest.InboundService;
import petrichor.apps.router.table.AppRoutes;
import petrichor.apps.router.table.RoutingTable;
import petrichor.apps.router.table.ServiceRoutes;
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
    private final VersionSources sources;
    private final Preparation preparation;
    private final VersionFleets versions;
    private final Fleets fleets;
    private final Consumer<RoutingTable> router;
    private final QuotaSettings quotas;
    private final Map<VersionName, HostedVersion> hosted = new ConcurrentHashMap<>();
    private final ReentrantLock changing = new ReentrantLock();

    /** Of the router. Replaced with the lock. */
    private volatile RoutingTable table = RoutingTable.EMPTY;

    RunningVersions(
            HostingSettings settings,
            AppCatalog catalog,
            VersionSources sources,
            Preparation preparation,
            VersionFleets versions,
            Fleets fleets,
            Consumer<RoutingTable> router,
            QuotaSettings quotas) {
        this.settings = settings;
        this.catalog = catalog;
        this.sources = sources;
        this.preparation = preparation;
        this.versions = versions;
        this.fleets = fleets;
        this.router = router;
        this.quotas = quotas;
    }

    /** Runs the apps of the catalog; those that cannot run are logged. */
    void restore() {
        List<AppRecord> apps = catalog.list();
        quotas.follow();
        apps.forEach(this::restore);
        changing.lock();
        try {
            route(apps);
        } finally {
            changing.unlock();
        }
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
        HostedVersion version = prepared(name, record);
        hosted.put(name, version);
        if (record.serving()) {
            var _ = fleets.put(fleet(version));
        }
    }

    /** Builds a version unless it runs already. FAILED_PRECONDITION if that is not possible. */
    HostedVersion prepared(VersionName name, VersionRecord record) {
        HostedVersion known = hosted.get(name);
        if (known != null && known.isDeploymentOf(record)) {
            return known;
        }
        Sources found = sources.require(record.sources());
        AppManifest manifest = AppManifest.read(found.folder());
        return switch (preparation.build(name, found, manifest, _ -> {}, Cancellation.never())) {
            case BuildResult.Built built ->
                    preparation.prepared(name, record, found, manifest, built);
            case BuildResult.BuildFailed(_, String reason, Path log) ->
                    throw PetrichorException.of(
                            ErrorCode.FAILED_PRECONDITION,
                            "{reason}; see {log}",
                            "reason",
                            reason,
                            "log",
                            log);
        };
    }

    /**
     * Does what the catalog says, as far as nothing has to be built or started.
     *
     * @return the other versions that run differently
     */
    Set<VersionName> follow() {
        changing.lock();
        try {
            List<AppRecord> apps = catalog.list();
            Set<VersionName> known = new HashSet<>();
            Set<VersionName> behind = new HashSet<>();
            for (AppRecord app : apps) {
                for (ServiceRecord service : app.services().values()) {
                    for (VersionRecord record : service.versions().values()) {
                        VersionName name =
                                new VersionName(app.name(), service.name(), record.name());
                        known.add(name);
                        if (!follows(name, record, app.configuration().variables())) {
                            behind.add(name);
                        }
                    }
                }
            }
            route(apps);
            for (VersionName name : List.copyOf(hosted.keySet())) {
                if (!known.contains(name) && !getsRequests(name)) {
                    remove(name, "the version was deleted");
                }
            }
            return behind;
        } finally {
            changing.unlock();
        }
    }

    private boolean follows(VersionName name, VersionRecord record, AppVariables variables) {
        HostedVersion version = hosted.get(name);
        if (version == null || !version.isDeploymentOf(record)) {
            return false;
        }
        if (!record.serving()) {
            retire(name, "the version was stopped");
            return true;
        }
        Fleet fleet = fleets.find(name);
        return fleet != null && fleet.plan().variables().equals(variables);
    }

    /** Whether the router sends requests to it, perhaps because its successor is not yet ready. */
    boolean getsRequests(VersionName version) {
        AppRoutes app = table.apps().get(version.app());
        ServiceRoutes service = app == null ? null : app.services().get(version.service());
        return service != null && service.split().shares().containsKey(version.version());
    }

    /** Whether a service gets requests, perhaps by another version. */
    boolean isRouted(VersionName version) {
        changing.lock();
        try {
            AppRoutes app = table.apps().get(version.app());
            return app != null && app.services().containsKey(version.service());
        } finally {
            changing.unlock();
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

    /**
     * Within {@link #changed}.
     *
     * @param fleet null if it has no instances
     * @return the fleet that was replaced
     */
    @Nullable Fleet put(HostedVersion version, @Nullable Fleet fleet) {
        hosted.put(version.name(), version);
        return fleet == null ? fleets.remove(version.name()) : fleets.put(fleet);
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
        route(catalog.list());
    }

    private void route(List<AppRecord> apps) {
        quotas.follow();
        RoutingTable next = RoutingTables.of(settings, apps, hosted, table, quotas::requests);
        router.accept(next);
        table = next;
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
