package petrichor.server.apps;

import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.catalog.AppCatalog;
import petrichor.apps.catalog.AppRecord;
import petrichor.apps.catalog.EffectiveQuotas;
import petrichor.apps.catalog.Quota;
import petrichor.apps.catalog.QuotaRecords;
import petrichor.apps.catalog.StoredSources;
import petrichor.apps.hosting.CustomDomains;
import petrichor.apps.hosting.Fleets;
import petrichor.apps.hosting.Hosting;
import petrichor.apps.hosting.QuotaSettings;
import petrichor.apps.hosting.SecretBox;
import petrichor.apps.hosting.SecretsKey;
import petrichor.apps.hosting.ServiceDefinitions;
import petrichor.apps.manifest.InboundService;
import petrichor.apps.router.Backend;
import petrichor.apps.router.Backends;
import petrichor.apps.router.RouterSettings;
import petrichor.apps.router.table.AppRoutes;
import petrichor.apps.router.table.RoutingTable;
import petrichor.apps.router.table.TrafficSplit;
import petrichor.apps.router.table.VersionName;
import petrichor.apps.router.tls.CertificateStatus;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.StorageQuota;
import petrichor.base.TimeSource;
import petrichor.frontends.appengine.Tickets;
import petrichor.frontends.apps.AppPages;
import petrichor.frontends.apps.DeploymentPage;
import petrichor.frontends.apps.Deployments;
import petrichor.frontends.apps.DomainPages;
import petrichor.frontends.apps.GitPages;
import petrichor.frontends.apps.QuotaPages;
import petrichor.frontends.apps.VariablePages;
import petrichor.frontends.http.Page;
import petrichor.server.config.AppSettings;
import petrichor.services.queues.TaskUse;
import petrichor.services.queues.dispatch.Dispatchers;
import petrichor.services.users.Accounts;
import petrichor.services.users.Sessions;

/**
 * Assembles the hosting of deployed apps. Router, builds and instances start with the first
 * deployment, or with the server if there are apps. Thread-safe.
 */
final class AppHosting implements AppAddresses.Deployed, AppServices.Deployed, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AppHosting.class);
    private static final int TOKEN_BYTES = 32;
    private static final String SECRETS_KEY = "secrets.key";
    private static final long POLL_NANOS = 300_000_000;

    /** A host with or without a port, as the router accepts it. */
    private static final Pattern AUTHORITY = Pattern.compile("[A-Za-z\\d.\\-_~]+(?::\\d{1,5})?");

    private final AppSettings.Hosting settings;
    private final AppEngine.CurrentData data;
    private final ServiceDefinitions services;
    private final Tickets tickets;
    private final Sessions sessions;
    private final SecureRandom random;
    private final HostingFolder folder;
    private final AppCatalog catalog;
    private final QuotaSettings quotas;
    private final StorageQuotas storage;
    private final String platformToken;
    private final Optional<AppNeighbours> neighbours;
    private @Nullable InetSocketAddress api;
    private RunningApps.@Nullable ApiPort apiPort;
    private volatile Backlogs backlogs = _ -> Map.of();
    private volatile Function<String, TaskUse> taskUse = _ -> TaskUse.NONE;
    private @Nullable RunningApps running;
    private volatile @Nullable Hosting opened;
    private boolean closed;

    /** Of the queues of a project. Thread-safe; does not block. */
    @FunctionalInterface
    interface Backlogs {
        /** Due tasks that wait, by target. */
        Map<String, Integer> of(String project);
    }

    /**
     * @param services that the files of apps configure
     * @param session how long users of apps stay signed in
     * @param blobs the objects of apps
     * @param members the servers of the cluster
     */
    AppHosting(
            AppSettings.Hosting settings,
            AppEngine.CurrentData data,
            ServiceDefinitions services,
            Tickets tickets,
            Duration session,
            AppEngine.BlobAccess blobs,
            Supplier<List<String>> members,
            SecureRandom random) {
        this.settings = settings;
        this.data = data;
        this.services = services;
        this.tickets = tickets;
        this.sessions =
                new Sessions(
                        new Accounts(() -> data.databases().get().open(Accounts.DATABASE), random),
                        session,
                        TimeSource.SYSTEM);
        this.random = random;
        this.folder = new HostingFolder(settings.folder(), data.folder());
        byte[] token = new byte[TOKEN_BYTES];
        random.nextBytes(token);
        this.platformToken = HexFormat.of().formatHex(token);
        this.catalog = new AppCatalog(data::system);
        this.quotas =
                new QuotaSettings(
                        new QuotaRecords(data::system),
                        new EffectiveQuotas(settings.quotas()),
                        () -> members.get().size());
        this.storage =
                new StorageQuotas(
                        quotas.effective(),
                        new StorageQuotas.Stored(
                                data.cluster()
                                        .map(AppEngine.AppCluster::databases)
                                        .orElse(data.databases()),
                                blobs.blobs(),
                                blobs.contentInRows()),
                        TimeSource.SYSTEM);
        this.neighbours = data.cluster().map(cluster -> new AppNeighbours(cluster.node()));
    }

    List<Page> pages() {
        List<Page> pages = new ArrayList<>(new AppPages(catalog, this::hosting, this::url).pages());
        Deployments deployments = new Deployments(this::hosting, this::url);
        pages.add(new DeploymentPage(deployments).page());
        pages.addAll(new VariablePages(this::hosting, this::url).pages());
        pages.addAll(new QuotaPages(quotas.effective(), this::hosting, this::measured).pages());
        pages.addAll(
                new DomainPages(
                                new CustomDomains(catalog, this::hosting, settings.domain()),
                                this::certificate)
                        .pages());
        pages.addAll(
                new GitPages(deployments, this::repositories, app -> catalog.find(app).isPresent())
                        .pages());
        return pages;
    }

    private synchronized @Nullable RunningApps running() {
        return running;
    }

    @Override
    public Duration longestTask(String project, Duration deadline) {
        OptionalLong longest = quotas.effective().limit(project, Quota.LONGEST_TASK);
        return Duration.ofMillis(Math.min(longest.orElse(Long.MAX_VALUE), deadline.toMillis()));
    }

    /** The quotas that apply on this server. */
    EffectiveQuotas quotas() {
        return quotas.effective();
    }

    /** What visitors and instances of an app use of a quota on this server. */
    private QuotaPages.Usage usage(String app, Quota quota) {
        RunningApps known = running();
        if (quota == Quota.STORAGE) {
            return storage.usage(app);
        }
        return known == null ? QuotaPages.Usage.UNKNOWN : known.usage(app, quota, taskUse);
    }

    /** The same, if need be after reading all that the app stores. */
    private QuotaPages.Usage measured(String app, Quota quota) {
        return quota == Quota.STORAGE ? storage.measured(app) : usage(app, quota);
    }

    StorageQuota storageQuota() {
        return storage;
    }

    MetricSnapshots metrics() {
        RunningApps known = running();
        return known == null
                ? new MetricSnapshots()
                : QuotaReadings.of(quotas.effective(), known.apps(), this::usage);
    }

    @Override
    public boolean has(String project) {
        RunningApps known = running();
        return known != null && known.router().table().apps().containsKey(project);
    }

    @Override
    public CompletableFuture<Optional<AppAddresses.Borrowed>> borrow(
            String project, String target, Duration within) {
        RunningApps known = running();
        AppRoutes app = known == null ? null : known.router().table().apps().get(project);
        TaskTarget found = app == null ? null : TaskTarget.of(app, target);
        if (known == null || found == null) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        VersionName version = found.version(random.nextInt(TrafficSplit.BUCKETS));
        Fleets fleets = known.fleets();
        return fleets.acquire(
                        new Backends.Wanted(version, Optional.empty(), Optional.empty(), within))
                .completeOnTimeout(
                        new Backends.Unavailable("no instance was ready in time", within),
                        within.toNanos(),
                        TimeUnit.NANOSECONDS)
                .thenApply(
                        acquisition ->
                                switch (acquisition) {
                                    case Backends.Acquired(Backend backend) ->
                                            Optional.of(borrowed(known, backend));
                                    case Backends.Unavailable _ -> Optional.empty();
                                });
    }

    /** Only the router forwards requests to other servers. */
    private AppAddresses.Borrowed borrowed(RunningApps apps, Backend backend) {
        Fleets fleets = apps.fleets();
        if (backend.gate().isEmpty()) {
            return new AppAddresses.Borrowed(
                    backend.address(),
                    Map.of(),
                    () -> fleets.release(backend, Backends.Use.ANSWERED));
        }
        fleets.release(backend, Backends.Use.ABANDONED);
        return new AppAddresses.Borrowed(
                reachable(apps.router().addresses().getFirst()),
                Map.of(
                        RouterSettings.PLATFORM_FIELD,
                        platformToken,
                        RouterSettings.VERSION_FIELD,
                        backend.version().toString()),
                () -> {});
    }

    /** A wildcard address is reachable through loopback. */
    private static InetSocketAddress reachable(InetSocketAddress address) {
        return address.getAddress().isAnyLocalAddress()
                ? new InetSocketAddress(InetAddress.getLoopbackAddress(), address.getPort())
                : address;
    }

    /**
     * Those that wait for this version; tasks for a service wait for its versions by their shares.
     */
    private int tasks(RoutingTable table, VersionName version) {
        AppRoutes app = table.apps().get(version.app());
        if (app == null) {
            return 0;
        }
        int sum = 0;
        for (Map.Entry<String, Integer> waiting : backlogs.of(version.app()).entrySet()) {
            TaskTarget target = TaskTarget.of(app, waiting.getKey());
            sum += target == null ? 0 : target.share(version, waiting.getValue());
        }
        return sum;
    }

    /**
     * Where the platform sends requests of users to an app.
     *
     * @param token the value of {@link RouterSettings#PLATFORM_FIELD}
     * @param authority of the app
     */
    record Entrance(InetSocketAddress router, String token, String authority) {}

    /**
     * Empty if the app is not deployed.
     *
     * @param asked the authority that the user has asked; ignored if it is not one of the app
     */
    Optional<Entrance> entrance(String project, String asked) {
        RunningApps known = running();
        if (known == null || !has(project)) {
            return Optional.empty();
        }
        boolean own =
                AUTHORITY.matcher(asked).matches()
                        && switch (known.router().table().match(host(asked))) {
                            case RoutingTable.Unknown _ -> false;
                            case RoutingTable.Service(var app, _) -> app.app().equals(project);
                            case RoutingTable.Version(var app, _, _, _) ->
                                    app.app().equals(project);
                        };
        return Optional.of(
                new Entrance(
                        known.router().addresses().getFirst(),
                        platformToken,
                        own ? asked : URI.create(url(project)).getAuthority()));
    }

    private static String host(String authority) {
        int colon = authority.indexOf(':');
        return (colon < 0 ? authority : authority.substring(0, colon)).toLowerCase(Locale.ROOT);
    }

    private CertificateStatus certificate(String host) {
        RunningApps known = running();
        return known == null ? CertificateStatus.NONE : known.certificate(host);
    }

    /** Where users reach the default service of an app. */
    @Override
    public String url(String project) {
        return url(project, AppRecord.DEFAULT_SERVICE);
    }

    /** The deployed apps with one of these inbound services. */
    Set<String> receiving(Set<InboundService> services) {
        Hosting known = opened;
        return known == null ? Set.of() : known.receiving(services);
    }

    /** Of the service; versions without requests have a host of their own. */
    private String url(VersionName version) {
        return url(version.app(), version.service());
    }

    private synchronized String url(String project, String service) {
        RunningApps known = running;
        int port =
                known == null ? settings.port() : known.router().addresses().getFirst().getPort();
        String prefix = service.equals(AppRecord.DEFAULT_SERVICE) ? "" : service + "-dot-";
        return "http://" + prefix + project + "." + settings.domain() + ":" + port;
    }

    /**
     * Runs the apps of the catalog in the background.
     *
     * @param address where this server listens
     * @param apps where apps call the APIs
     * @param queues of the projects
     */
    void start(InetSocketAddress address, RunningApps.ApiPort apps, Dispatchers queues) {
        backlogs = queues::backlog;
        taskUse = queues::use;
        synchronized (this) {
            apiPort = apps;
            api = reachable(address);
        }
        if (data.cluster().isPresent()) {
            Thread.ofVirtual().name("hosting-start").start(this::awaitApps);
        } else if (data.folder().isPresent()) {
            Thread.ofVirtual().name("hosting-start").start(this::resume);
        }
    }

    private void resume() {
        try {
            boolean _ = resumed();
        } catch (PetrichorException e) {
            LOG.error("deployed apps do not run: {}", e.getMessage());
        }
    }

    /** Whether there are apps. */
    private boolean resumed() {
        // Reading the catalog would create the database.
        if (data.databases().get().names().contains(Accounts.DATABASE)
                && !catalog.list().isEmpty()) {
            Hosting _ = hosting();
            return true;
        }
        return false;
    }

    /** Another server of the cluster may deploy the first app. */
    private void awaitApps() {
        String problem = "";
        while (!isOpenOrClosed()) {
            try {
                if (resumed()) {
                    return;
                }
            } catch (PetrichorException e) {
                String text = String.valueOf(e.getMessage());
                if (!text.equals(problem)) {
                    LOG.warn("deployed apps do not run yet: {}", text);
                }
                problem = text;
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private synchronized boolean isOpenOrClosed() {
        return closed || running != null;
    }

    /** Opens the hosting with its first use. */
    private synchronized Hosting hosting() {
        RunningApps known = running;
        if (known != null) {
            return known.hosting();
        }
        InetSocketAddress address = api;
        RunningApps.ApiPort apps = apiPort;
        if (closed || address == null || apps == null) {
            throw PetrichorException.of(ErrorCode.UNAVAILABLE, "the server starts or stops");
        }
        RunningApps started = open(address, apps);
        running = started;
        return started.hosting();
    }

    private RunningApps open(InetSocketAddress address, RunningApps.ApiPort apps) {
        return RunningApps.open(
                settings,
                new RunningApps.Surroundings(
                        address,
                        apps,
                        folder,
                        catalog,
                        services,
                        tickets,
                        platformToken,
                        neighbours.map(others -> new RunningApps.Cluster(sharedSources(), others)),
                        secrets(),
                        quotas,
                        random),
                new AppVisitors(sessions),
                new RunningApps.Callbacks(
                        this::tasks, this::deployedBuilds, hosting -> opened = hosting));
    }

    private StoredSources sharedSources() {
        return new StoredSources(
                data::system,
                data.cluster().orElseThrow().valueBytesMax().getAsInt(),
                TimeSource.SYSTEM,
                random);
    }

    private SecretBox secrets() {
        return data.cluster()
                .map(cluster -> new SecretBox(SecretsKey.ofCluster(cluster.secret()), random))
                .orElseGet(() -> new SecretBox(folder.secrets().resolve(SECRETS_KEY), random));
    }

    /** Also while the hosting starts. */
    private Set<String> deployedBuilds() {
        Hosting known = opened;
        return known == null ? Set.of() : known.deployedBuilds();
    }

    private Path repositories() {
        Hosting _ = hosting();
        return folder.repositories();
    }

    @Override
    public void close() {
        RunningApps known;
        synchronized (this) {
            closed = true;
            known = running;
        }
        if (known != null) {
            known.close();
        }
        storage.close();
    }
}
