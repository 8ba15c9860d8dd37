package petrichor.apps.hosting;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.builds.BuildResult;
import petrichor.apps.builds.Builds;
import petrichor.apps.builds.SourceResult;
import petrichor.apps.builds.Sources;
import petrichor.apps.catalog.AppCatalog;
import petrichor.apps.catalog.AppQuotas;
import petrichor.apps.catalog.AppRecord;
import petrichor.apps.catalog.AppVariables;
import petrichor.apps.catalog.StoredSources;
import petrichor.apps.catalog.Traffic;
import petrichor.apps.catalog.VersionRecord;
import petrichor.apps.hosting.cluster.ClusterPlan;
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

    /** Between readings of the other servers of a cluster. */
    private static final Duration REFRESH = Duration.ofMillis(500);

    private static final Duration STOP_MAX = Duration.ofSeconds(60);

    private final AppCatalog catalog;
    private final Builds builds;
    private final TimeSource time;
    private final ServiceDefinitions services;
    private final VersionFleets versions;
    private final Preparation preparation;
    private final Fleets fleets;
    private final VersionSources versionSources;
    private final RunningVersions running;
    private final Optional<CatalogFollower> follower;
    private final Optional<ClusterPlan> cluster;
    private final VariableUpdates variables;
    private final QuotaSettings quotas;
    private final InstanceQuotas instanceQuotas;
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofVirtual().name("hosting-clock").factory());

    /**
     * What deployments use.
     *
     * @param services that the files of apps configure
     * @param secrets encrypts those of apps
     * @param cluster empty for a standalone server
     * @param quotas of apps
     */
    public record Machinery(
            Builds builds,
            InstanceHost host,
            ServiceDefinitions services,
            SecretBox secrets,
            Optional<Cluster> cluster,
            QuotaSettings quotas) {
        /** Of a standalone server. */
        public Machinery(
                Builds builds,
                InstanceHost host,
                ServiceDefinitions services,
                SecretBox secrets,
                QuotaSettings quotas) {
            this(builds, host, services, secrets, Optional.empty(), quotas);
        }
    }

    /**
     * The cluster of this server.
     *
     * @param shared sources of apps
     */
    public record Cluster(StoredSources shared, ClusterPlan plan) {}

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
        this.catalog = catalog;
        this.builds = machinery.builds();
        this.fleets = fleets;
        this.time = time;
        this.services = machinery.services();
        this.preparation = new Preparation(settings, builds, time);
        this.quotas = machinery.quotas();
        this.instanceQuotas = new InstanceQuotas(quotas, time);
        this.versions =
                new VersionFleets(
                        settings, machinery, backlog, time, random, workers, instanceQuotas);
        this.versionSources =
                new VersionSources(builds.sources(), machinery.cluster().map(Cluster::shared));
        this.running =
                new RunningVersions(
                        settings,
                        catalog,
                        versionSources,
                        preparation,
                        versions,
                        fleets,
                        router,
                        quotas);
        this.variables =
                new VariableUpdates(catalog, running, versions, fleets, machinery.secrets());
        this.follower =
                machinery
                        .cluster()
                        .map(
                                cluster ->
                                        new CatalogFollower(
                                                catalog,
                                                cluster.shared(),
                                                running,
                                                versions,
                                                fleets,
                                                time,
                                                workers));
        this.cluster = machinery.cluster().map(Cluster::plan);
    }

    /**
     * Runs the apps of the catalog; those that cannot run are logged. A server of a cluster does it
     * in the background, and follows changes by other servers.
     */
    public void start() {
        follower.ifPresentOrElse(CatalogFollower::start, running::restore);
        var _ = clock.scheduleWithFixedDelay(this::scale, SCALE_S, SCALE_S, TimeUnit.SECONDS);
        cluster.ifPresent(plan -> plan.refreshEvery(REFRESH, clock));
    }

    private void scale() {
        fleets.all().stream()
                .collect(Collectors.groupingBy(fleet -> fleet.plan().version().app()))
                .forEach((app, all) -> instanceQuotas.trim(app, all, running::getsRequests));
        for (Fleet fleet : fleets.all()) {
            try {
                fleet.scale();
            } catch (RuntimeException e) {
                LOG.error("could not scale {}", fleet.plan().version(), e);
            }
        }
        cluster.ifPresent(plan -> plan.retain(fleets.keys()));
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
                    versionSources.share(sources);
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
                    running.changed(
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
                .apply(running.configuration(app))
                .forEach(file -> progress.accept(new DeployEvent.Applied(file)));
    }

    /** Starts an instance, and gives the version its requests when it is ready. */
    private DeployResult switchTo(Next next, Consumer<DeployEvent> progress, long from) {
        HostedVersion version = next.version();
        progress.accept(new DeployEvent.Starting(version.name()));
        AppVariables variables = running.variables(version.name().app());
        Fleet fleet = versions.fleet(version, variables);
        Optional<DeployResult.Failed> failed = versions.startFirst(fleet);
        if (failed.isPresent()) {
            return failed.get();
        }
        Switched switched;
        try {
            switched = running.changed(() -> switched(next, fleet, variables, progress));
        } catch (PetrichorException refused) {
            var _ = fleet.close("its deployment failed");
            throw refused;
        }
        if (switched.former() != null) {
            var _ = fleets.retire(switched.former(), "another deployment replaces it");
        }
        return new DeployResult.Deployed(
                version.name(),
                switched.app(),
                version.built().cached(),
                Duration.ofNanos(time.monotonicNanos() - from));
    }

    /**
     * @param former the fleet that was replaced
     */
    private record Switched(AppRecord app, @Nullable Fleet former) {}

    private Switched switched(
            Next next, Fleet fleet, AppVariables variables, Consumer<DeployEvent> progress) {
        VersionName name = next.version().name();
        requireSame(running.variables(name.app()), variables);
        // The version finds its queues and indexes.
        apply(next.definitions(), name.app(), progress);
        AppRecord app =
                catalog.deploy(
                        name.app(),
                        name.service(),
                        next.version().record(),
                        next.promote(),
                        known -> {
                            // Also another server may have changed them.
                            requireSame(known.variables(), variables);
                            return next.definitions().configured(known);
                        });
        return new Switched(app, running.put(next.version(), fleet));
    }

    /**
     * Changes variables of an app. Its instances are replaced: those of versions with requests by
     * ones that are ready. If one of them does not start, nothing changes.
     */
    public DeployResult change(String app, VariableChange change, Consumer<DeployEvent> progress) {
        long from = time.monotonicNanos();
        try {
            return variables
                    .change(app, change, progress)
                    .<DeployResult>map(failed -> failed)
                    .orElseGet(
                            () ->
                                    new DeployResult.Configured(
                                            app, Duration.ofNanos(time.monotonicNanos() - from)));
        } catch (PetrichorException refused) {
            return failed("variables", refused);
        }
    }

    private static void requireSame(AppVariables now, AppVariables before) {
        if (!now.equals(before)) {
            throw changedMeanwhile();
        }
    }

    static PetrichorException changedMeanwhile() {
        return PetrichorException.of(
                ErrorCode.ABORTED,
                "another command changed the app at the same time; repeat this one");
    }

    /** The variables of an app. */
    public AppVariables variables(String app) {
        return running.variables(app);
    }

    /** Changes the catalog, and then the routes. */
    AppRecord changed(Supplier<AppRecord> change) {
        return running.changed(change);
    }

    /** Splits the requests of a service among its versions. */
    public AppRecord split(String app, String service, Traffic traffic) {
        return running.changed(() -> catalog.split(app, service, traffic));
    }

    /** Returns to the former split of a service. */
    public AppRecord rollback(String app, String service) {
        return running.changed(() -> catalog.rollback(app, service));
    }

    /** Starts or stops a version. */
    public AppRecord setServing(VersionName version, boolean serving) {
        return running.changed(
                () -> {
                    AppRecord app =
                            catalog.setServing(
                                    version.app(), version.service(), version.version(), serving);
                    running.setServing(version, serving);
                    return app;
                });
    }

    /** Deletes a version that gets no requests. */
    public AppRecord deleteVersion(VersionName version) {
        return running.changed(
                () -> {
                    AppRecord app =
                            catalog.deleteVersion(
                                    version.app(), version.service(), version.version());
                    running.remove(version, "the version was deleted");
                    return app;
                });
    }

    /** Deletes an app with all its versions. Its data stays. */
    public void delete(String app) {
        AppRecord _ =
                running.changed(
                        () -> {
                            AppRecord known = catalog.require(app);
                            catalog.delete(app);
                            running.forget(app);
                            return known;
                        });
        for (Fleet fleet : fleets.of(app)) {
            running.retire(fleet.plan().version(), "the app was deleted");
        }
    }

    /** Changes an app's own quotas, which apply at once, and on other servers within a second. */
    public AppQuotas changeQuotas(String app, UnaryOperator<AppQuotas> change) {
        return running.changed(() -> quotas.records().change(app, change));
    }

    /** The quotas that an operator gave to an app; none if it has only the defaults. */
    public AppQuotas ownQuotas(String app) {
        return quotas.records().of(app);
    }

    /** What the instances of an app use on this server. */
    public InstanceUse instanceUse(String app) {
        InstanceQuotas.Use use = instanceQuotas.use(app);
        return new InstanceUse(use.instances(), use.memoryBytes(), instanceQuotas.refused(app));
    }

    /** The fleets of an app, in the order of their names. */
    public List<FleetStatus> status(String app) {
        return running.status(app);
    }

    /**
     * The log of a version's instances.
     *
     * @param lines how many of the existing ones
     */
    public LogTail logs(VersionName version, int lines) {
        if (running.find(version) == null) {
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
        return running.deployedBuilds();
    }

    /** The apps with a version that has one of these inbound services. */
    public Set<String> receiving(Set<InboundService> services) {
        return running.receiving(services);
    }

    /** Stops all instances when their requests have ended. */
    @Override
    public void close() {
        follower.ifPresent(CatalogFollower::close);
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
