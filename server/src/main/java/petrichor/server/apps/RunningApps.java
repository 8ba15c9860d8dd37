package petrichor.server.apps;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntBiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.builds.BuildSettings;
import petrichor.apps.builds.Builds;
import petrichor.apps.builds.SourceLimits;
import petrichor.apps.catalog.AppCatalog;
import petrichor.apps.catalog.Quota;
import petrichor.apps.catalog.StoredSources;
import petrichor.apps.hosting.Fleets;
import petrichor.apps.hosting.Hosting;
import petrichor.apps.hosting.HostingSettings;
import petrichor.apps.hosting.InstanceUse;
import petrichor.apps.hosting.QuotaSettings;
import petrichor.apps.hosting.SecretBox;
import petrichor.apps.hosting.ServiceDefinitions;
import petrichor.apps.hosting.cluster.ClusterPlan;
import petrichor.apps.hosting.cluster.LocalMachine;
import petrichor.apps.hosting.cluster.ServerReading;
import petrichor.apps.instances.HostSettings;
import petrichor.apps.instances.InstanceHost;
import petrichor.apps.router.AppRouter;
import petrichor.apps.router.PeerAccess;
import petrichor.apps.router.RequestUse;
import petrichor.apps.router.RouterLimits;
import petrichor.apps.router.RouterSettings;
import petrichor.apps.router.log.RequestLog;
import petrichor.apps.router.log.RollingFile;
import petrichor.apps.router.table.RoutingTable;
import petrichor.apps.router.table.VersionName;
import petrichor.apps.router.tls.CertificateStatus;
import petrichor.base.TimeSource;
import petrichor.frontends.access.AppCallers;
import petrichor.frontends.appengine.Tickets;
import petrichor.frontends.apps.QuotaPages;
import petrichor.server.config.AppSettings;
import petrichor.services.queues.TaskUse;

/**
 * The parts that run deployed apps on this server: instances, builds and the router. Thread-safe.
 */
public record RunningApps(
        Hosting hosting, Fleets fleets, Edge edge, InstanceHost host, AppVisitors visitors)
        implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunningApps.class);
    private static final long REQUEST_LOG_BYTES_MAX = 64 << 20;
    private static final int REQUEST_LOGS_MAX = 4;
    private static final String CERTIFICATES = "certificates";
    private static final int TOKEN_BYTES = 32;

    /**
     * What clients reach.
     *
     * @param certificates null without TLS
     */
    record Edge(AppRouter router, @Nullable AppCertificates certificates, RequestLog log) {}

    AppRouter router() {
        return edge.router();
    }

    /** The apps with routes. */
    Set<String> apps() {
        return router().table().apps().keySet();
    }

    /**
     * What an app uses of a quota.
     *
     * @param tasks what apps do with their queues
     */
    QuotaPages.Usage usage(String app, Quota quota, Function<String, TaskUse> tasks) {
        InstanceUse instances = hosting.instanceUse(app);
        RequestUse requests = router().use(app);
        return switch (quota) {
            case INSTANCES ->
                    new QuotaPages.Usage(
                            OptionalLong.of(instances.instances()), instances.refused());
            case MEMORY -> new QuotaPages.Usage(OptionalLong.of(instances.memoryBytes()), 0);
            case REQUESTS ->
                    new QuotaPages.Usage(
                            OptionalLong.of(requests.lastMinute()), requests.refused());
            case TASKS -> {
                TaskUse use = tasks.apply(app);
                yield new QuotaPages.Usage(
                        OptionalLong.of(use.addedLastMinute()), use.refusedAdds());
            }
            case WAITING_TASKS ->
                    new QuotaPages.Usage(OptionalLong.empty(), tasks.apply(app).refusedWaiting());
            case REQUEST_BURST, LONGEST_REQUEST, LONGEST_TASK, STORAGE -> QuotaPages.Usage.UNKNOWN;
        };
    }

    CertificateStatus certificate(String host) {
        AppCertificates certificates = edge.certificates();
        return certificates == null ? CertificateStatus.NONE : certificates.status(host);
    }

    /**
     * The port at which instances call the APIs.
     *
     * @param open opens it, and returns its address
     * @param tokens whether other callers must send a token
     */
    public record ApiPort(Function<AppCallers, InetSocketAddress> open, boolean tokens) {}

    /**
     * What they use.
     *
     * @param address where this server listens
     * @param apiPort where apps call the APIs
     * @param platformToken the value of {@link RouterSettings#PLATFORM_FIELD}
     * @param cluster empty for a standalone server
     */
    record Surroundings(
            InetSocketAddress address,
            ApiPort apiPort,
            HostingFolder folder,
            AppCatalog catalog,
            ServiceDefinitions services,
            Tickets tickets,
            String platformToken,
            Optional<Cluster> cluster,
            SecretBox secrets,
            QuotaSettings quotas,
            SecureRandom random) {}

    /**
     * The cluster of this server.
     *
     * @param shared sources of apps
     */
    record Cluster(StoredSources shared, AppNeighbours neighbours) {}

    /**
     * @param tasks that wait for a version
     * @param builds hashes of deployed ones, also while the hosting starts
     * @param opened gets the hosting before it starts
     */
    record Callbacks(
            ToIntBiFunction<RoutingTable, VersionName> tasks,
            Supplier<Set<String>> builds,
            Consumer<Hosting> opened) {}

    static RunningApps open(
            AppSettings.Hosting settings,
            Surroundings with,
            AppVisitors visitors,
            Callbacks callbacks) {
        InetSocketAddress address = with.address();
        Path folder = with.folder().path();
        InstanceCallers callers = new InstanceCallers(with.apiPort().tokens());
        InetSocketAddress api = with.apiPort().open().apply(callers);
        HostingSettings hosted =
                new HostingSettings(
                        folder.resolve("hosting"), settings.domain(), Optional.empty(), api);
        AtomicInteger gatePort = new AtomicInteger();
        String gateToken = token(with.random());
        Optional<ClusterPlan> plan =
                with.cluster()
                        .map(
                                cluster ->
                                        new ClusterPlan(
                                                cluster.neighbours(),
                                                LocalMachine::reading,
                                                () ->
                                                        new ServerReading.Gate(
                                                                cluster.neighbours().host(),
                                                                gatePort.get(),
                                                                gateToken),
                                                TimeSource.SYSTEM));
        Fleets fleets = new Fleets(address, plan);
        RequestLog log =
                RequestLog.to(
                        new RollingFile(
                                folder.resolve("requests.jsonl"),
                                REQUEST_LOG_BYTES_MAX,
                                REQUEST_LOGS_MAX));
        @Nullable AppCertificates certificates =
                settings.tlsPort() == 0
                        ? null
                        : new AppCertificates(
                                with.folder().secrets().resolve(CERTIFICATES),
                                settings.domain(),
                                settings.router());
        AppRouter router =
                AppRouter.open(
                        routerSettings(settings, with, gateToken),
                        new AppRouter.Surroundings(
                                fleets,
                                new AppHeaders(with.tickets(), settings.domain()),
                                visitors,
                                log,
                                certificates == null ? null : certificates.router(),
                                AppRouter.Sources.SYSTEM));
        gatePort.set(router.addresses().getFirst().getPort());
        @Nullable InstanceHost host = null;
        try {
            host =
                    InstanceHost.open(
                            HostSettings.of(folder.resolve("instances"), with.folder().hidden())
                                    .withServices(ReachableServices.of(settings, api, router)));
            callers.identifyBy(host);
            Builds builds =
                    Builds.open(
                            BuildSettings.in(folder.resolve("builds"), callbacks.builds()),
                            SourceLimits.DEFAULT);
            Hosting hosting =
                    new Hosting(
                            hosted,
                            with.catalog(),
                            new Hosting.Machinery(
                                    builds,
                                    host,
                                    with.services(),
                                    with.secrets(),
                                    with.cluster()
                                            .map(
                                                    cluster ->
                                                            new Hosting.Cluster(
                                                                    cluster.shared(),
                                                                    plan.orElseThrow())),
                                    with.quotas()),
                            fleets,
                            router::setTable,
                            version -> callbacks.tasks().applyAsInt(router.table(), version),
                            TimeSource.SYSTEM,
                            with.random());
            callbacks.opened().accept(hosting);
            with.cluster()
                    .ifPresent(cluster -> cluster.neighbours().answerWith(plan.orElseThrow()));
            hosting.start();
            if (certificates != null) {
                certificates.order(() -> router.table().customDomains().keySet());
            }
            LOG.info("apps are served at {}", router.addresses().getFirst());
            return new RunningApps(
                    hosting, fleets, new Edge(router, certificates, log), host, visitors);
        } catch (RuntimeException failed) {
            router.close();
            if (host != null) {
                host.close();
            }
            visitors.close();
            log.close();
            throw failed;
        }
    }

    private static String token(SecureRandom random) {
        byte[] token = new byte[TOKEN_BYTES];
        random.nextBytes(token);
        return HexFormat.of().formatHex(token);
    }

    private static RouterSettings routerSettings(
            AppSettings.Hosting settings, Surroundings with, String gateToken) {
        InetAddress address = with.address().getAddress();
        RouterSettings http = RouterSettings.http(new InetSocketAddress(address, settings.port()));
        List<RouterSettings.Listener> listeners = new ArrayList<>(http.listeners());
        if (settings.tlsPort() != 0) {
            listeners.add(
                    RouterSettings.Listener.https(
                            new InetSocketAddress(address, settings.tlsPort())));
        }
        return new RouterSettings(
                        listeners,
                        http.threads(),
                        settings.tlsPort() == 0 ? http.httpsPort() : settings.tlsPort(),
                        Optional.of(with.platformToken()),
                        RouterLimits.DEFAULT)
                .behind(settings.router().proxies())
                .among(
                        with.cluster()
                                .map(
                                        cluster ->
                                                new PeerAccess(
                                                        gateToken, cluster.neighbours().tls())));
    }

    @Override
    public void close() {
        if (edge.certificates() != null) {
            edge.certificates().close();
        }
        // Requests in progress end before their instances.
        edge.router().close();
        hosting.close();
        host.close();
        visitors.close();
        edge.log().close();
    }
}
