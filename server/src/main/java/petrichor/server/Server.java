package petrichor.server;

import io.grpc.ServerServiceDefinition;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.cluster.ClusterNode;
import petrichor.entities.Datastore;
import petrichor.frontends.access.AppCallers;
import petrichor.frontends.access.AuditLog;
import petrichor.frontends.datastore.DatastoreFrontEnd;
import petrichor.frontends.datastore.FrontEndSettings;
import petrichor.frontends.datastore.Observability;
import petrichor.frontends.http.Page;
import petrichor.server.admin.AdminService;
import petrichor.server.apps.AppEngine;
import petrichor.server.apps.RunningApps;
import petrichor.server.backups.BackupService;
import petrichor.server.backups.RowsService;
import petrichor.server.branches.BranchPage;
import petrichor.server.branches.BranchService;
import petrichor.server.changes.ChangePages;
import petrichor.server.changes.ChangeService;
import petrichor.server.config.ListenAddress;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Version;
import petrichor.server.data.ClusterStart;
import petrichor.server.data.Data;
import petrichor.server.data.StoreRecovery;
import petrichor.server.jobs.JobsPage;
import petrichor.server.jobs.SubmittedJobs;
import petrichor.server.logs.LogLevels;
import petrichor.server.logs.RecentLog;
import petrichor.server.metrics.JvmMetrics;
import petrichor.server.metrics.MemoryMetrics;
import petrichor.server.metrics.MetricsPage;
import petrichor.server.migrations.MigrationPage;
import petrichor.server.migrations.RingPage;
import petrichor.server.pages.ClusterPage;
import petrichor.server.pages.DatabasesPage;
import petrichor.server.pages.IndexesPage;
import petrichor.server.pages.LogPage;
import petrichor.server.pages.SupportPages;
import petrichor.server.pages.TokenPages;
import petrichor.server.pages.VersionPage;
import petrichor.server.replication.ReplicationPage;
import petrichor.server.replication.ReplicationService;
import petrichor.server.tokens.ConfiguredTokens;
import petrichor.server.tokens.IssuedTokens;
import petrichor.server.upstream.UpstreamService;
import petrichor.transactions.TransactionMemory;

/**
 * A running Petrichor server. {@link #start} returns when requests are answered; {@link #close}
 * waits for running requests, then closes the store. Thread-safe.
 */
public final class Server implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Server.class);

    private final ServerConfig config;
    private final DatastoreFrontEnd frontEnd;
    private final SubmittedJobs jobs;
    private final RecentLog log = RecentLog.install();
    private final CountDownLatch shutdownAsked = new CountDownLatch(1);
    private final MemoryBudget memory;
    private final Supplier<Data> opener;
    private final StoreRecovery recovery;
    private final AuditLog audit;
    private final Tracing tracing;
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Reloading reloading;
    private final IssuedTokens tokens;
    private final AdminService admin;
    private final AppEngine apps;
    private final ChangePages changes;
    private final BackupService backups;
    private final BranchService branches;
    private final ReplicationPage replication;
    private final UpstreamService upstream;
    private final ObjectStorage storage;
    private final ServedTuples tuples;
    private Optional<SqlPort> sql = Optional.empty();
    private volatile Data data;
    private volatile boolean stopping;
    private boolean closed;

    private Server(Basis basis, Data data, AuditLog audit) {
        this.config = basis.config();
        this.memory = basis.memory();
        this.opener = basis.opener();
        this.reloading = basis.reloading();
        this.audit = audit;
        this.tracing = Tracing.open(config.log().traces());
        this.recovery = new StoreRecovery(() -> this.data.reopeningHelps(), this::reopen);
        this.data = data;
        this.tokens = new IssuedTokens(() -> this.data.routed());
        this.jobs = new SubmittedJobs(config);
        this.admin =
                new AdminService(
                        () -> this.data.datastore(),
                        config.store().exports(),
                        TimeSource.SYSTEM,
                        data.rpc());
        this.changes =
                new ChangePages(
                        new ChangeService(() -> this.data.served(), data.rpc()),
                        (project, database) -> this.data.exists(project, database),
                        config.transactions().limits().consumerHold());
        this.branches =
                new BranchService(
                        () -> this.data.served(),
                        name -> this.data.datastore().databases().drop(name),
                        data.rpc());
        this.backups =
                new BackupService(
                        new RowsService(() -> this.data.datastore().databases(), data.rpc()),
                        name -> this.data.databases().names().contains(name),
                        () -> this.data.routed(),
                        config.store().exports());
        this.replication =
                new ReplicationPage(
                        new ReplicationService(() -> this.data.datastore().databases(), data.rpc()),
                        name -> this.data.databases().names().contains(name),
                        () -> this.data.routed(),
                        config.store().replicationTargets(),
                        this::address,
                        data.cluster().isEmpty());
        this.upstream = new UpstreamService(config, () -> this.data.datastore(), registry);
        this.storage =
                new ObjectStorage(
                        () -> this.data, ObjectStorage.Place.of(config), memory, registry);
        this.apps =
                new AppEngine(
                        config.apps(),
                        new AppEngine.CurrentData(
                                () -> this.data.served(),
                                () -> this.data.datastore(),
                                config.transactions().limits(),
                                FrontEndOptions.embedded(config)
                                        ? Optional.of(config.store().data())
                                        : Optional.empty(),
                                this::isOwnedElsewhere,
                                data.cluster().map(node -> appCluster(config, node))),
                        new AppEngine.BlobAccess(
                                storage::blobs, this::address, storage.contentInRows()),
                        data.rpc(),
                        memory,
                        basis.settings().limits().connectionsMax(),
                        registry,
                        this::members);
        storage.limit(apps.storageQuota());
        data.datastore().limit(apps.storageQuota());
        this.tuples =
                new ServedTuples(() -> this.data.served(), this::isOwnedElsewhere, data.rpc());
        this.frontEnd =
                new DatastoreFrontEnd(
                        data.datastore(),
                        basis.settings(),
                        data.rpc(),
                        memory,
                        new Observability(audit, registry, tracing.tracer()));
        register(audit);
    }

    /** Components created from the configuration before the store is opened. */
    private record Basis(
            ServerConfig config,
            Reloading reloading,
            FrontEndSettings settings,
            MemoryBudget memory,
            TransactionMemory shares,
            Supplier<Data> opener) {
        static Basis of(ServerConfig config) {
            Reloading reloading = new Reloading(config); // records what the settings read
            MemoryBudget memory = MemoryBudget.ofHeap(config.server().memoryPercent());
            TransactionMemory shares = TransactionMemory.of(memory);
            return new Basis(
                    config,
                    reloading,
                    FrontEndOptions.of(config),
                    memory,
                    shares,
                    () -> Data.open(config, shares));
        }

        Basis withOpener(Supplier<Data> other) {
            return new Basis(config, reloading, settings, memory, shares, other);
        }
    }

    /**
     * Fails with a message that names what to change if the configuration cannot be served: a port
     * or a folder in use, an open address without authentication, unusable certificates.
     */
    public static Server start(ServerConfig config) {
        Basis basis = Basis.of(config);
        return start(basis, Startup.open(config, basis.settings(), basis.memory(), basis.shares()));
    }

    /** Starts a server on opened data, of which it takes ownership. */
    static Server start(ServerConfig config, Data data) {
        return start(Basis.of(config), data);
    }

    /**
     * @param opener opens the data again after it was closed
     */
    static Server start(ServerConfig config, Data data, Supplier<Data> opener) {
        return start(Basis.of(config).withOpener(opener), data);
    }

    private static Server start(Basis basis, Data data) {
        ServerConfig config = basis.config();
        @Nullable Server server = null;
        @Nullable AuditLog audit = null;
        try {
            audit = AuditLog.open(config.log().audit());
            server = new Server(basis, data, audit);
            List<Page> pages = server.pages();
            pages.addAll(server.admin.pages());
            pages.addAll(server.apps.pages(config.tls().isPresent()));
            pages.addAll(server.tuples.pages());
            // Last: any path may be that of an object.
            pages.addAll(server.storage.pages(config.tls().isPresent()));
            List<ServerServiceDefinition> services = new ArrayList<>(server.admin.services());
            services.addAll(server.apps.grpcServices());
            services.addAll(server.tuples.services());
            server.upstream.start(server.frontEnd, data.databases().names());
            server.frontEnd.listen(pages, services);
            int port = server.port();
            data.cluster().ifPresent(node -> node.join(ClusterStart.address(config, port)));
            server.jobs.settle();
            var _ = server.recovery.start();
            server.startTokens();
            server.reloading.start(server.frontEnd, data.rpc(), server.tokens);
            server.apps.start(
                    new InetSocketAddress(ListenAddress.of(config).getFirst(), server.port()),
                    new RunningApps.ApiPort(server::listenForApps, config.auth().required()));
            server.storage.start();
            server.tuples.start();
            server.listenForSql();
            server.backups.start();
            server.replication.start();
            LOG.info("listening on {}:{}", config.server().host(), server.port());
            return server;
        } catch (RuntimeException failed) {
            if (server != null) {
                server.sql.ifPresent(SqlPort::close);
                server.frontEnd.close();
                server.tracing.close();
                server.log.close();
            }
            data.close();
            if (audit != null) {
                audit.close();
            }
            throw failed;
        }
    }

    /** The APIs and nothing else, for instances of apps. */
    private InetSocketAddress listenForApps(AppCallers callers) {
        List<Page> pages = new ArrayList<>(apps.apiPages());
        pages.addAll(storage.pages(false));
        pages.addAll(changes.pages());
        return frontEnd.listenForApps(callers, pages, apps.grpcServices());
    }

    private void startTokens() {
        if (config.auth().required()) {
            tokens.start();
            frontEnd.accept(ConfiguredTokens.read(config.auth()).with(tokens));
        }
    }

    private void listenForSql() {
        sql =
                SqlPort.open(
                        config,
                        () -> data,
                        () -> ConfiguredTokens.read(config.auth()).with(tokens));
    }

    /** The port of SQL; 0 if there is none. */
    public int sqlPort() {
        return sql.map(SqlPort::port).orElse(0);
    }

    /** The port it listens on; a free one if port 0 was configured. */
    public int port() {
        return frontEnd.port();
    }

    /** The beginning of its URLs, as it knows itself. */
    private String address() {
        String scheme = config.tls().isPresent() ? "https" : "http";
        return scheme + "://" + config.server().host() + ":" + port();
    }

    public ServerConfig config() {
        return config;
    }

    /** The servers of this server's cluster; empty for a standalone server. */
    public List<String> members() {
        return data.cluster()
                .map(node -> node.statuses().stream().map(one -> one.member().address()).toList())
                .orElse(List.of());
    }

    private AppEngine.AppCluster appCluster(ServerConfig with, ClusterNode node) {
        return new AppEngine.AppCluster(
                () -> data.routed(), () -> data.valueBytesMax(), with.cluster().token(), node);
    }

    private boolean isOwnedElsewhere(String database) {
        return data.cluster().map(node -> node.isOwnerKnown(database)).orElse(false);
    }

    /** The API without the network, for code in the same process. */
    public Datastore datastore() {
        return data.datastore();
    }

    /** Returns after {@code POST /shutdown}, or when the server is closed. */
    public void awaitShutdown() throws InterruptedException {
        shutdownAsked.await();
    }

    private List<Page> pages() {
        List<Page> pages = new ArrayList<>();
        pages.add(
                new Page(
                        "GET",
                        "/",
                        Page.Access.OPEN,
                        Page.Lane.AT_ONCE,
                        _ -> Page.Answer.text(200, "Ok\n")));
        pages.addAll(new Health(checks()).pages());
        pages.add(new MetricsPage(registry).page());
        pages.add(VersionPage.page());
        pages.add(new IndexesPage(() -> data).page());
        pages.add(new DatabasesPage(() -> data).page());
        pages.add(new BranchPage(branches, name -> data.databases().names().contains(name)).page());
        pages.add(new ClusterPage(() -> data).page());
        pages.addAll(new TokenPages(tokens, config.auth().required()).pages());
        pages.addAll(changes.pages());
        pages.addAll(backups.pages());
        pages.addAll(replication.pages());
        pages.add(new MigrationPage(name -> data.migration(name)).page());
        pages.add(upstream.page());
        pages.add(new RingPage(name -> data.movable(name)).page());
        pages.addAll(new JobsPage(jobs).pages());
        pages.addAll(new LogPage(LogLevels.PROCESS).pages());
        pages.addAll(new SupportPages(log).pages());
        pages.add(new Page("POST", "/reset", Page.Access.ADMIN, this::reset));
        pages.add(new Page("POST", "/shutdown", Page.Access.ADMIN, this::shutdown));
        return pages;
    }

    /** {@link Data} is replaced by a reset, so its metrics are collected through this object. */
    private void register(AuditLog auditLog) {
        auditLog.register(registry);
        registry.register(() -> data.metrics());
        registry.register(() -> MemoryMetrics.of(memory));
        registry.register(backups::metrics);
        registry.register(replication::metrics);
        jobs.register(registry);
        registry.register(JvmMetrics::now);
        Info.builder()
                .name("petrichor_build_info")
                .help("Always 1; the labels name the build.")
                .labelNames("version", "java")
                .register(registry)
                .addLabelValues(Version.text(), Runtime.version().toString());
    }

    private List<Health.Check> checks() {
        List<Health.Check> checks = new ArrayList<>();
        checks.add(new Health.Check("serving", this::serving));
        checks.add(new Health.Check("store", () -> data.problem()));
        data.cluster()
                .ifPresent(node -> checks.add(new Health.Check("cluster", () -> node.problem())));
        return checks;
    }

    private Optional<String> serving() {
        return stopping ? Optional.of("the server is stopping") : Optional.empty();
    }

    /** Deletes all data except issued tokens: replaces the store by a new one. */
    private Page.Answer reset(Page.Request request) {
        if (!config.store().memory()) {
            return refused("/reset would delete the data in " + config.store().data());
        }
        synchronized (this) {
            if (closed) {
                return Page.Answer.text(503, "the server is stopping\n");
            }
            Data old = data;
            Data fresh = opener.get();
            // Callers keep their access, and the caller of this page its own.
            IssuedTokens.copy(old.routed(), fresh.routed());
            data = fresh;
            serve(fresh.datastore());
            old.close();
        }
        LOG.info("reset: all data deleted");
        return Page.Answer.text(200, "Resetting...\n");
    }

    /** Closes and reopens the store. Requests are refused meanwhile, and open transactions end. */
    private void reopen() {
        synchronized (this) {
            if (closed) {
                return;
            }
            data.close();
            Data fresh = opener.get();
            data = fresh;
            serve(fresh.datastore());
        }
    }

    private void serve(Datastore datastore) {
        datastore.limit(apps.storageQuota());
        frontEnd.serve(datastore);
        upstream.reopen(data.databases().names());
    }

    private Page.Answer shutdown(Page.Request request) {
        if (!config.store().memory()) {
            return refused("stop a server that has a data folder with Ctrl-C or SIGTERM");
        }
        stopping = true;
        shutdownAsked.countDown();
        return Page.Answer.text(200, "Shutting down local server\n");
    }

    private static Page.Answer refused(String why) {
        return Page.Answer.text(
                403, "only a server started with --memory supports this; " + why + "\n");
    }

    @Override
    public void close() {
        stopping = true;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        reloading.close();
        tokens.close();
        backups.close();
        replication.close();
        recovery.close();
        jobs.close();
        admin.close();
        sql.ifPresent(SqlPort::close);
        apps.drain();
        frontEnd.close(config.server().drain());
        upstream.close();
        apps.close();
        storage.close();
        tuples.close();
        data.close();
        audit.close();
        tracing.close();
        shutdownAsked.countDown();
        LOG.info("stopped");
        log.close();
    }
}
