package petrichor.apps.hosting;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import petrichor.apps.builds.Builds;
import petrichor.apps.catalog.AppVariables;
import petrichor.apps.hosting.cluster.ClusterPlan;
import petrichor.apps.hosting.cluster.VersionKey;
import petrichor.apps.instances.Instance;
import petrichor.apps.instances.InstanceHost;
import petrichor.apps.instances.InstanceLog;
import petrichor.apps.instances.InstanceSpec;
import petrichor.apps.instances.InstanceState;
import petrichor.apps.instances.LogLimits;
import petrichor.apps.instances.RestartPolicy;
import petrichor.apps.instances.StartResult;
import petrichor.apps.manifest.AppYaml;
import petrichor.apps.router.table.VersionName;
import petrichor.apps.scaling.ScalingPolicy;
import petrichor.base.TimeSource;

/** Makes the fleets of versions, and starts their first instances. Thread-safe. */
final class VersionFleets implements AutoCloseable {
    /** For a reading of the server that has just deployed a version. */
    private static final Duration ELSEWHERE_MAX = Duration.ofSeconds(5);

    private static final Duration POLL = Duration.ofMillis(50);

    private final HostingSettings settings;
    private final Builds builds;
    private final InstanceHost host;
    private final SecretBox secrets;
    private final Optional<ClusterPlan> cluster;
    private final Backlog backlog;
    private final InstanceSpecs specs;
    private final TimeSource time;
    private final RandomGenerator random;
    private final Executor workers;
    private final InstanceQuotas quotas;
    private final Map<VersionName, InstanceLog> logs = new ConcurrentHashMap<>();

    VersionFleets(
            HostingSettings settings,
            Hosting.Machinery machinery,
            Backlog backlog,
            TimeSource time,
            RandomGenerator random,
            Executor workers,
            InstanceQuotas quotas) {
        this.settings = settings;
        this.builds = machinery.builds();
        this.host = machinery.host();
        this.secrets = machinery.secrets();
        this.cluster = machinery.cluster().map(Hosting.Cluster::plan);
        this.backlog = backlog;
        this.specs = new InstanceSpecs(settings.api());
        this.time = time;
        this.random = random;
        this.workers = workers;
        this.quotas = quotas;
    }

    /** A fleet without instances, whose instances will have these variables. */
    Fleet fleet(HostedVersion version, AppVariables variables) {
        String app = version.name().app();
        OptionalInt group =
                builds.user(app)
                        .map(user -> OptionalInt.of(user.gid()))
                        .orElse(OptionalInt.empty());
        List<Path> readable = builds.readable(app);
        Map<String, String> values = new TreeMap<>(variables.plain());
        variables
                .secrets()
                .forEach((name, encrypted) -> values.put(name, secrets.open(app, name, encrypted)));
        return new Fleet(
                new FleetPlan(
                        version.name(),
                        ScalingPolicy.of(version.manifest().yaml().scaling()),
                        variables,
                        id -> specs.of(version, values, id, readable, group),
                        () -> backlog.tasks(version.name()),
                        quotas,
                        cluster.map(all -> part(all, version, variables))),
                spec -> host.start(spec, log(version.name())),
                RestartPolicy.DEFAULT,
                time,
                random,
                workers);
    }

    private static ClusterFleet part(
            ClusterPlan all, HostedVersion version, AppVariables variables) {
        AppYaml yaml = version.manifest().yaml();
        return new ClusterFleet(
                all,
                new ClusterPlan.Needs(
                        VersionKey.of(version.name(), version.record(), variables),
                        (long) yaml.execution().instanceClass().memoryMegabytes() << 20,
                        ScalingPolicy.of(yaml.scaling()).concurrentRequestsMax()));
    }

    /** Whether another server has a ready instance of a fleet's version within some seconds. */
    boolean awaitElsewhere(Fleet fleet) {
        Optional<ClusterFleet> part = fleet.plan().cluster();
        long end = time.monotonicNanos() + ELSEWHERE_MAX.toNanos();
        while (part.isPresent() && time.monotonicNanos() < end) {
            if (part.get().runsElsewhere()) {
                return true;
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
        return false;
    }

    /**
     * Starts the first instance; empty when it is ready. A fleet whose instance failed is closed.
     */
    Optional<DeployResult.Failed> startFirst(Fleet fleet) {
        Instance instance;
        InstanceSpec spec = fleet.plan().spec().apply(fleet.nextId());
        Optional<String> overQuota = quotas.begin(spec, InstanceQuotas.Start.DEPLOYED);
        if (overQuota.isPresent()) {
            return Optional.of(new DeployResult.Failed("start", overQuota.get(), Optional.empty()));
        }
        switch (host.start(spec, log(fleet.plan().version()))) {
            case StartResult.Refused(String reason) -> {
                quotas.ended(spec);
                return Optional.of(new DeployResult.Failed("start", reason, Optional.empty()));
            }
            case StartResult.Accepted(Instance accepted) -> instance = accepted;
        }
        fleet.join(instance, "its version was deployed");
        if (instance.started().join() instanceof InstanceState.Failed(_, String reason)) {
            var _ = fleet.close("its first instance failed");
            String first = reason.lines().findFirst().orElse("");
            return Optional.of(
                    new DeployResult.Failed(
                            "start", first, Optional.of(reason.substring(first.length()).strip())));
        }
        return Optional.empty();
    }

    InstanceLog log(VersionName version) {
        return logs.computeIfAbsent(
                version,
                _ ->
                        InstanceLog.open(
                                settings.folder()
                                        .resolve("logs")
                                        .resolve(version.app())
                                        .resolve(version.service())
                                        .resolve(version.version()),
                                LogLimits.DEFAULT));
    }

    @Override
    public void close() {
        logs.values().forEach(InstanceLog::close);
    }
}
