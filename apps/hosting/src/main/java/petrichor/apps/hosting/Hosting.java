package petrichor.apps.hosting;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.builds.BuildResult;
import petrichor.apps.builds.Builds;
import petrichor.apps.builds.SourceResult;
import petrichor.apps.builds.Sources;
import petrichor.apps.catalog.AppCatalog;
import petrichor.apps.catalog.AppConfiguration;
import petrichor.apps.catalog.AppRecord;
import petrichor.apps.catalog.AppVariables;
import petrichor.apps.catalog.ServiceRecord;
import petrichor.apps.catalog.Traffic;
import petrichor.apps.catalog.VersionRecord;
import petrichor.apps.instances.InstanceHost;
import petrichor.apps.instances.LogTail;
import petrichor.apps.manifest.InboundService;
import petrichor.apps.router.table.RoutingTable;
import petrichor.apps.router.table.VersionName;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/**
 * Deploys apps, and runs those of the catalog on this server. Changes of one kind wait for each
 * other; a deployment builds and starts its instance without holding up others. Thread-safe.
 */
public final class Hosting implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Hosting.class);
    private static final int SCALE_S = 1;
    private static final Duration STOP_MAX = Duration.ofSeconds(60);

    private final HostingSettings settings;
    private final AppCatalog catalog;
    private final Builds builds;
    private final TimeSource time;
    private final ServiceDefinitions services;
    private final SecretBox secrets;
    private final VersionFleets versions;
    private final Preparation preparation;
    private final Fleets fleets;
    private final Consumer<RoutingTable> router;
    private final Map<VersionName, HostedVersion> hosted = new ConcurrentHashMap<>();
    private final ReentrantLock changing = new ReentrantLock();
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofVirtual().name("hosting-clock").factory());

    /**
     * What deployments use.
     *
     * @param services that the files of apps configure
     * @param secrets encrypts those of apps
     */
    public record Machinery(
            Builds builds, InstanceHost host, ServiceDefinitions services, SecretBox secrets) {}

    /**
     * @param router gets a table after each change; when it returns, no request uses the former one
     */
    public Hosting(
            HostingSettings settings,
            AppCatalog catalog,
            Machinery machinery,
            Fleets fleets,
            Consumer<RoutingTable> router,
            Backlog backlog,
            TimeSource time,
            RandomGenerator random) {
        this.settings = settings;
        this.catalog = catalog;
        this.builds = machinery.builds();
        this.fleets = fleets;
        this.router = router;
        this.time = time;
        this.services = machinery.services();
        this.secrets = machinery.secrets();
        this.preparation = new Preparation(settings, builds, time);
        this.versions = new VersionFleets(settings, machinery, backlog, time, random, workers);
    }

    /** Runs the apps of the catalog; those that cannot run are logged. */
    public void start() {
        for (AppRecord app : catalog.list()) {
            restore(app);
        }
        route();
        var _ = clock.scheduleWithFixedDelay(this::scale, SCALE_S, SCALE_S, TimeUnit.SECONDS);
    }

    private void scale() {
        for (Fleet fleet : fleets.all()) {
            try {
                fleet.scale();
            } catch (RuntimeException e) {
                LOG.error("could not scale {}", fleet.plan().version(), e);
            }
        }
    }

    private void restore(AppRecord app) {
        for (ServiceRecord service : app.services().values()) {
            for (VersionRecord record : service.versions().values()) {
                VersionName name = new VersionName(app.name(), service.name(), record.name());
                try {
                    Sources sources =
                            builds.sources()
                                    .find(record.sources())
                                    .orElseThrow(
                                            () ->
                                                    PetrichorException.of(
                                                            ErrorCode.NOT_FOUND,
                                                            "its sources are not on this server;"
                                                                    + " deploy it again"));
                    AppManifest manifest = AppManifest.read(sources.folder());
                    switch (preparation.build(
                            name, sources, manifest, _ -> {}, Cancellation.never())) {
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
                } catch (PetrichorException e) {
                    LOG.error("{} is not served: {}", name, e.getMessage());
                }
            }
        }
    }

    /** Deploys a version. Fails without any effect on other versions. */
    public DeployResult deploy(
            DeployRequest request, Consumer<DeployEvent> progress, Cancellation cancellation) {
        long from = time.monotonicNanos();
        SourceResult read = request.origin().read(builds.sources(), cancellation);
        if (read instanceof SourceResult.Refused(String reason)) {
            return new DeployResult.Failed("sources", reason, Optional.empty());
        }
        Sources sources = ((SourceResult.Stored) read).sources();
        VersionName name;
        AppManifest manifest;
        VersionRecord record;
        ConfigurationFiles definitions;
        try {
            manifest = AppManifest.read(sources.folder());
            name = preparation.name(request, manifest);
            record =
                    new VersionRecord(
                            name.version(),
                            sources.hash(),
                            new VersionRecord.Origin(time.epochMicros(), request.by()),
                            true);
        } catch (PetrichorException invalid) {
            return failed("app.yaml", invalid);
        }
        try {
            definitions = definitions(sources, name.app(), Optional.of(name.service()));
            catalog.requireDeployable(name.app(), name.service(), record);
        } catch (PetrichorException refused) {
            return failed("configuration", refused);
        }
        progress.accept(
                new DeployEvent.Accepted(name, sources.hash(), sources.files(), sources.bytes()));
        manifest.yaml()
                .warnings()
                .forEach(warning -> progress.accept(new DeployEvent.Warning(warning)));
        return switch (preparation.build(name, sources, manifest, progress, cancellation)) {
            case BuildResult.BuildFailed(var stage, String reason, Path log) ->
                    new DeployResult.Failed(
                            "build (" + stage.name().toLowerCase(Locale.ROOT) + ")",
                            reason,
                            Optional.of(LogEnd.of(log)));
            case BuildResult.Built built -> {
                try {
                    HostedVersion version =
                            preparation.prepared(name, record, sources, manifest, built);
                    yield switchTo(
                            new Next(version, request.promote(), definitions), progress, from);
                } catch (PetrichorException failed) {
                    yield failed("deployment", failed);
                }
            }
        };
    }

    /** A version that is deployed. */
    private record Next(HostedVersion version, boolean promote, ConfigurationFiles definitions) {}

    private static DeployResult failed(String step, PetrichorException reason) {
        return new DeployResult.Failed(step, String.valueOf(reason.getMessage()), Optional.empty());
    }

    private ConfigurationFiles definitions(Sources sources, String app, Optional<String> service) {
        return ConfigurationFiles.check(
                sources.folder(), services, app, catalog.find(app).orElse(null), service);
    }

    /** Applies files of an app such as {@code cron.yaml}, without a version. */
    public DeployResult deployFiles(
            DeployRequest request, Consumer<DeployEvent> progress, Cancellation cancellation) {
        long from = time.monotonicNanos();
        SourceResult read = request.origin().read(builds.sources(), cancellation);
        if (read instanceof SourceResult.Refused(String reason)) {
            return new DeployResult.Failed("sources", reason, Optional.empty());
        }
        Sources sources = ((SourceResult.Stored) read).sources();
        try {
            String app = preparation.app(request);
            if (!ConfigurationFiles.areIn(sources.folder(), services)) {
                throw PetrichorException.invalid(
                        "there is none of the files {files}; name one of them",
                        "files",
                        ConfigurationFiles.files(services));
            }
            ConfigurationFiles definitions = definitions(sources, app, Optional.empty());
            var _ =
                    changed(
                            () -> {
                                apply(definitions, app, progress);
                                return catalog.configure(app, definitions::configured);
                            });
            return new DeployResult.Configured(app, Duration.ofNanos(time.monotonicNanos() - from));
        } catch (PetrichorException refused) {
            return failed("configuration", refused);
        }
    }

    private void apply(ConfigurationFiles definitions, String app, Consumer<DeployEvent> progress) {
        definitions
                .apply(configuration(app))
                .forEach(file -> progress.accept(new DeployEvent.Applied(file)));
    }

    private AppConfiguration configuration(String app) {
        return catalog.find(app).map(AppRecord::configuration).orElse(AppConfiguration.NONE);
    }

    private Fleet fleet(HostedVersion version) {
        return versions.fleet(version, configuration(version.name().app()).variables());
    }

    /** Starts an instance, and gives the version its requests when it is ready. */
    private DeployResult switchTo(Next next, Consumer<DeployEvent> progress, long from) {
        HostedVersion version = next.version();
        progress.accept(new DeployEvent.Starting(version.name()));
        AppVariables variables = configuration(version.name().app()).variables();
        Fleet fleet = versions.fleet(version, variables);
        Optional<DeployResult.Failed> failed = versions.startFirst(fleet);
        if (failed.isPresent()) {
            return failed.get();
        }
        Fleet former;
        AppRecord app;
        changing.lock();
        try {
            if (!configuration(version.name().app()).variables().equals(variables)) {
                throw changedMeanwhile();
            }
            // The version finds its queues and indexes.
            apply(next.definitions(), version.name().app(), progress);
            app =
                    catalog.deploy(
                            version.name().app(),
                            version.name().service(),
                            version.record(),
                            next.promote(),
                            next.definitions()::configured);
            hosted.put(version.name(), version);
            former = fleets.put(fleet);
            route();
        } catch (PetrichorException refused) {
            var _ = fleet.close("its deployment failed");
            throw refused;
        } finally {
            changing.unlock();
        }
        if (former != null) {
            var _ = fleets.retire(former, "another deployment replaces it");
        }
        return new DeployResult.Deployed(
                version.name(),
                app,
                version.built().cached(),
                Duration.ofNanos(time.monotonicNanos() - from));
    }

    /**
     * Changes variables of an app. Its instances are replaced: those of versions with requests by
     * ones that are ready. If one of them does not start, nothing changes.
     */
    public DeployResult change(String app, VariableChange change, Consumer<DeployEvent> progress) {
        long from = time.monotonicNanos();
        List<Fleet> made = new ArrayList<>();
        try {
            AppConfiguration before = configuration(app);
            AppVariables after = change.applied(app, before.variables(), secrets);
            Set<Fleet> former = fleets.of(app);
            for (Fleet each : former) {
                HostedVersion version = hosted.get(each.plan().version());
                if (version != null) {
                    Fleet next = versions.fleet(version, after);
                    made.add(next);
                    if (catalog.getsRequests(app, version.name().service(), version.record())) {
                        progress.accept(new DeployEvent.Starting(version.name()));
                        Optional<DeployResult.Failed> failed = versions.startFirst(next);
                        if (failed.isPresent()) {
                            return failed.get();
                        }
                    }
                }
            }
            changing.lock();
            try {
                if (!configuration(app).equals(before) || !fleets.of(app).equals(former)) {
                    throw changedMeanwhile();
                }
                var _ = catalog.configure(app, known -> known.withVariables(after));
                made.forEach(fleets::put);
                made.clear();
            } finally {
                changing.unlock();
            }
            for (Fleet fleet : former) {
                var _ = fleets.retire(fleet, "the app's variables changed");
            }
            return new DeployResult.Configured(app, Duration.ofNanos(time.monotonicNanos() - from));
        } catch (PetrichorException refused) {
            return failed("variables", refused);
        } finally {
            for (Fleet fleet : made) {
                var _ = fleet.close("the app's variables did not change");
            }
        }
    }

    private static PetrichorException changedMeanwhile() {
        return PetrichorException.of(
                ErrorCode.ABORTED,
                "another command changed the app at the same time; repeat this one");
    }

    /** The variables of an app. */
    public AppVariables variables(String app) {
        return configuration(app).variables();
    }

    /** Splits the requests of a service among its versions. */
    public AppRecord split(String app, String service, Traffic traffic) {
        return changed(() -> catalog.split(app, service, traffic));
    }

    /** Returns to the former split of a service. */
    public AppRecord rollback(String app, String service) {
        return changed(() -> catalog.rollback(app, service));
    }

    /** Starts or stops a version. */
    public AppRecord setServing(VersionName version, boolean serving) {
        return changed(
                () -> {
                    AppRecord app =
                            catalog.setServing(
                                    version.app(), version.service(), version.version(), serving);
                    HostedVersion known = hosted.get(version);
                    if (serving && known != null && fleets.find(version) == null) {
                        var _ = fleets.put(fleet(known));
                    } else if (!serving) {
                        retire(version, "the version was stopped");
                    }
                    return app;
                });
    }

    /** Deletes a version that gets no requests. */
    public AppRecord deleteVersion(VersionName version) {
        return changed(
                () -> {
                    AppRecord app =
                            catalog.deleteVersion(
                                    version.app(), version.service(), version.version());
                    hosted.remove(version);
                    retire(version, "the version was deleted");
                    return app;
                });
    }

    /** Deletes an app with all its versions. Its data stays. */
    public void delete(String app) {
        var _ =
                changed(
                        () -> {
                            AppRecord known = catalog.require(app);
                            catalog.delete(app);
                            hosted.keySet().removeIf(version -> version.app().equals(app));
                            return known;
                        });
        for (Fleet fleet : fleets.all()) {
            if (fleet.plan().version().app().equals(app)) {
                retire(fleet.plan().version(), "the app was deleted");
            }
        }
    }

    private void retire(VersionName version, String reason) {
        Fleet fleet = fleets.remove(version);
        if (fleet != null) {
            var _ = fleets.retire(fleet, reason);
        }
    }

    private AppRecord changed(java.util.function.Supplier<AppRecord> change) {
        changing.lock();
        try {
            AppRecord app = change.get();
            route();
            return app;
        } finally {
            changing.unlock();
        }
    }

    private void route() {
        router.accept(RoutingTables.of(settings, catalog.list(), hosted));
    }

    /** The fleets of an app, in the order of their names. */
    public List<FleetStatus> status(String app) {
        return fleets.all().stream()
                .map(Fleet::status)
                .filter(status -> status.version().app().equals(app))
                .sorted(java.util.Comparator.comparing(status -> status.version().toString()))
                .toList();
    }

    /**
     * The log of a version's instances.
     *
     * @param lines how many of the existing ones
     */
    public LogTail logs(VersionName version, int lines) {
        if (!hosted.containsKey(version)) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "the version {version} is not on this server",
                    "version",
                    version);
        }
        return versions.log(version).tail(lines);
    }

    /** Hashes of the builds and sources that versions use: a restart needs both. */
    public Set<String> deployedBuilds() {
        return HostedVersion.hashes(hosted.values());
    }

    /** The apps with a version that has one of these inbound services. */
    public Set<String> receiving(Set<InboundService> services) {
        return HostedVersion.receiving(hosted.values(), services);
    }

    /** Stops all instances when their requests have ended. */
    @Override
    public void close() {
        clock.shutdownNow();
        CompletableFuture.allOf(
                        fleets.all().stream()
                                .map(fleet -> fleet.close("the server stops"))
                                .toArray(CompletableFuture[]::new))
                .completeOnTimeout(null, STOP_MAX.toMillis(), TimeUnit.MILLISECONDS)
                .join();
        workers.shutdownNow();
        versions.close();
    }
}
