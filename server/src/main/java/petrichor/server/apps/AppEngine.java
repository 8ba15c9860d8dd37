package petrichor.server.apps;

import io.grpc.ServerServiceDefinition;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import petrichor.apps.manifest.InboundService;
import petrichor.base.MemoryBudget;
import petrichor.base.StorageQuota;
import petrichor.base.TimeSource;
import petrichor.cluster.ClusterNode;
import petrichor.entities.Datastore;
import petrichor.frontends.appengine.AppEngineFrontEnd;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.PlatformCalls;
import petrichor.frontends.appengine.TicketSignature;
import petrichor.frontends.appengine.Tickets;
import petrichor.frontends.appengine.blobstore.BlobPages;
import petrichor.frontends.appengine.blobstore.RoutedDescriptions;
import petrichor.frontends.appengine.blobstore.UploadPages;
import petrichor.frontends.appengine.capability.CapabilityService;
import petrichor.frontends.appengine.datastore.DatastoreV3;
import petrichor.frontends.appengine.identity.AppIdentityService;
import petrichor.frontends.appengine.logs.LogService;
import petrichor.frontends.appengine.memcache.MemcacheService;
import petrichor.frontends.appengine.modules.ModulesService;
import petrichor.frontends.appengine.system.SystemService;
import petrichor.frontends.appengine.taskqueue.AppQueues;
import petrichor.frontends.appengine.taskqueue.TaskAdditions;
import petrichor.frontends.appengine.taskqueue.TaskQueueApi;
import petrichor.frontends.appengine.xmpp.XmppApi;
import petrichor.frontends.apps.ProjectFiles;
import petrichor.frontends.apps.RoutedProjectFiles;
import petrichor.frontends.http.Page;
import petrichor.frontends.tasks.TasksFrontEnd;
import petrichor.rpc.Rpc;
import petrichor.server.config.AppSettings;
import petrichor.services.blobs.Blobs;
import petrichor.services.cache.Caches;
import petrichor.services.cache.LruCaches;
import petrichor.services.cache.MemcachedCaches;
import petrichor.services.channels.ChannelLimits;
import petrichor.services.fetch.FetchLimits;
import petrichor.services.identity.AppIdentities;
import petrichor.services.queues.dispatch.Dispatchers;
import petrichor.services.users.Accounts;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;
import petrichor.transactions.TransactionLimits;

/** Assembles the services for App Engine apps. Thread-safe. */
public final class AppEngine implements AutoCloseable {
    /** For log lines of apps, which are kept for reading. */
    private static final long LOG_BYTES_MAX = 8 << 20;

    /** For writes of open transactions, which App Engine's API sends before the commit. */
    private static final long TRANSACTION_BYTES_MAX = 64 << 20;

    /** For positions of open queries of SDKs that do not send them. */
    private static final long QUERY_BYTES_MAX = 16 << 20;

    /** Browsers may use this part of the connections, so that some are left for calls. */
    private static final int CHANNEL_CONNECTIONS_PART = 2;

    /** Share of the process's memory for running uploads of forms. */
    private static final int UPLOADS_PERCENT = 20;

    /** Share for blobs that the router serves. */
    private static final int DOWNLOADS_PERCENT = 20;

    private static final Set<InboundService> CHATS =
            EnumSet.of(
                    InboundService.XMPP_MESSAGE,
                    InboundService.XMPP_PRESENCE,
                    InboundService.XMPP_SUBSCRIBE,
                    InboundService.XMPP_ERROR);

    private final SecureRandom random = new SecureRandom();
    private final Tickets tickets;
    private final Caches caches;
    private final AppRequests requests;
    private final AppServices more;
    private final AppTasks tasks;
    private final AppChannels channels;
    private final Optional<AppXmpp> xmpp;
    private final AppHosting hosting;
    private final AppEngineFrontEnd frontEnd;
    private final PlatformCalls platformCalls;
    private final TasksFrontEnd cloudTasks;
    private final AppForms forms;
    private final UploadPages uploads;
    private final BlobPages blobPages;

    /**
     * The current data, which a reset replaces.
     *
     * @param limits when transactions expire
     * @param folder where the data is; empty if it is in memory or on other servers
     * @param ownedElsewhere whether another server is known to own a database
     * @param cluster empty for a standalone server
     */
    public record CurrentData(
            Supplier<Databases> databases,
            Supplier<Datastore> datastore,
            TransactionLimits limits,
            Optional<Path> folder,
            Predicate<String> ownedElsewhere,
            Optional<AppCluster> cluster) {
        /** The system database; in a cluster, commits go to its owner. */
        Database system() {
            return cluster.map(AppCluster::databases)
                    .orElse(databases)
                    .get()
                    .open(Accounts.DATABASE);
        }
    }

    /**
     * The cluster to which this server belongs.
     *
     * @param databases all of them; commits are forwarded to owners
     * @param valueBytesMax longest value that the store accepts
     * @param secret of its servers; empty if there is none
     * @param node this server in it
     */
    public record AppCluster(
            Supplier<Databases> databases,
            IntSupplier valueBytesMax,
            Optional<String> secret,
            ClusterNode node) {}

    /**
     * The objects of apps.
     *
     * @param uploadBase beginning of the URLs to which browsers upload forms
     * @param contentInRows whether the databases contain the contents of objects
     */
    public record BlobAccess(
            Supplier<Blobs> blobs, Supplier<String> uploadBase, boolean contentInRows) {}

    /**
     * @param memory of the process
     * @param connectionsMax of clients to this server
     * @param members HOST:PORT of the servers of the cluster
     */
    public AppEngine(
            AppSettings settings,
            CurrentData data,
            BlobAccess blobs,
            Rpc rpc,
            MemoryBudget memory,
            int connectionsMax,
            PrometheusRegistry registry,
            Supplier<List<String>> members) {
        this.tickets =
                new Tickets(
                        TimeSource.SYSTEM,
                        random,
                        data.cluster().flatMap(AppCluster::secret).map(TicketSignature::new));
        this.caches =
                switch (settings.cache()) {
                    case AppSettings.CachePlace.InProcess(long bytes) ->
                            new LruCaches(
                                    data.databases(),
                                    memory.share("app cache", bytes),
                                    TimeSource.SYSTEM);
                    case AppSettings.CachePlace.Memcached(var servers) ->
                            new MemcachedCaches(
                                    data.databases(), servers, TimeSource.SYSTEM, random);
                };
        this.hosting =
                new AppHosting(
                        settings.hosting(),
                        data,
                        new RoutedProjectFiles(
                                new ProjectFiles(
                                        this::dispatchers,
                                        () -> data.datastore().get().databases()),
                                data.databases(),
                                rpc),
                        tickets,
                        settings.services().users().session(),
                        blobs,
                        members,
                        random);
        registry.register(hosting::metrics);
        AppAddresses addresses = new AppAddresses(settings.targets(), hosting, tickets);
        this.requests = new AppRequests(addresses);
        this.more =
                new AppServices(
                        settings.services(),
                        settings.targets(),
                        hosting,
                        data,
                        blobs,
                        memory,
                        requests,
                        members);
        more.register(registry);
        this.tasks =
                new AppTasks(
                        settings.tasks(),
                        hosting.quotas(),
                        addresses,
                        data,
                        () ->
                                more.fetcher(
                                        new FetchLimits(
                                                settings.tasks().deliveriesMax(),
                                                settings.tasks().deliveriesMax())),
                        rpc,
                        memory);
        registry.register(tasks::metrics);
        this.channels =
                new AppChannels(
                        new ChannelLimits(
                                settings.services().channels().perApp(),
                                Math.max(1, connectionsMax / CHANNEL_CONNECTIONS_PART)),
                        data.databases(),
                        rpc,
                        memory,
                        requests);
        registry.register(channels::metrics);
        this.xmpp =
                settings.services()
                        .xmpp()
                        .map(
                                server ->
                                        new AppXmpp(
                                                server,
                                                data.databases(),
                                                () -> receiving(settings.targets().keySet()),
                                                memory,
                                                requests));
        registry.register(() -> AppXmpp.metrics(xmpp));
        List<BundledService> services = services(settings, data, memory);
        this.frontEnd =
                new AppEngineFrontEnd(
                        services, tickets, settings.defaultProject(), rpc, memory, registry);
        this.platformCalls = new PlatformCalls(frontEnd);
        this.cloudTasks = new TasksFrontEnd(tasks.dispatchers(), rpc);
        this.forms = new AppForms(settings.targets(), hosting, tickets);
        this.uploads =
                new UploadPages(
                        blobs.blobs(),
                        forms,
                        new RoutedDescriptions(platformCalls),
                        memory.sharePercent("app uploads", UPLOADS_PERCENT));
        this.blobPages =
                new BlobPages(
                        blobs.blobs(),
                        tickets,
                        memory.sharePercent("app downloads", DOWNLOADS_PERCENT));
    }

    /** Apps that get stanzas without having called the API before. */
    private Set<String> receiving(Set<String> targets) {
        Set<String> all = new HashSet<>(targets);
        all.addAll(hosting.receiving(CHATS));
        return all;
    }

    private Dispatchers dispatchers() {
        return tasks.dispatchers();
    }

    /** The services only allocate what they need when they are called. */
    private List<BundledService> services(
            AppSettings settings, CurrentData data, MemoryBudget memory) {
        List<BundledService> services = new ArrayList<>();
        services.add(new MemcacheService(caches, TimeSource.SYSTEM));
        services.add(
                new AppIdentityService(
                        new AppIdentities(data.databases(), TimeSource.SYSTEM, random)));
        AppQueues queues = new AppQueues(tasks.dispatchers());
        TaskAdditions additions = new TaskAdditions(queues, TimeSource.SYSTEM);
        DatastoreV3 datastore =
                new DatastoreV3(
                        data.datastore(),
                        additions,
                        new DatastoreV3.Resources(
                                data.limits(),
                                memory.share("app transactions", TRANSACTION_BYTES_MAX),
                                memory.share("app queries", QUERY_BYTES_MAX),
                                TimeSource.SYSTEM,
                                random));
        services.add(datastore);
        services.add(new TaskQueueApi(queues, additions, datastore));
        services.add(new ModulesService(settings.targets()));
        services.add(new SystemService());
        services.add(new LogService(memory.share("app logs", LOG_BYTES_MAX), TimeSource.SYSTEM));
        services.addAll(more.services());
        BundledService channel = channels.service();
        services.add(channel);
        Set<String> capabilities =
                services.stream().map(BundledService::name).collect(Collectors.toSet());
        // Without an XMPP server, the API has no method but those of channels.
        xmpp.ifPresent(_ -> capabilities.add("xmpp"));
        services.add(new CapabilityService(capabilities));
        services.add(
                xmpp.map(AppXmpp::xmpp)
                        .map(connected -> new XmppApi(Optional.of(connected), channel))
                        .orElseGet(() -> new XmppApi(Optional.empty(), channel)));
        return List.copyOf(services);
    }

    /** Of the entities and objects of apps. */
    public StorageQuota storageQuota() {
        return hosting.storageQuota();
    }

    /**
     * @param secure whether clients use TLS
     */
    public List<Page> pages(boolean secure) {
        List<Page> pages = new ArrayList<>(apiPages());
        pages.addAll(more.pages(secure));
        pages.addAll(more.servingPages(platformCalls));
        pages.addAll(channels.pages());
        pages.addAll(uploads.pages());
        pages.addAll(blobPages.pages());
        pages.addAll(hosting.pages());
        return pages;
    }

    /** What instances of apps call. */
    public List<Page> apiPages() {
        List<Page> pages = new ArrayList<>(frontEnd.pages());
        pages.addAll(cloudTasks.pages());
        return pages;
    }

    /** The gRPC services. */
    public List<ServerServiceDefinition> grpcServices() {
        return cloudTasks.services();
    }

    /**
     * Begins work that no request asks for.
     *
     * @param address where this server listens
     */
    public void start(InetSocketAddress address, RunningApps.ApiPort apiPort) {
        more.start(address.getAddress());
        hosting.start(address, apiPort, tasks.dispatchers());
        tasks.start();
        xmpp.ifPresent(AppXmpp::start);
    }

    /** Ends what would keep connections open; no client is refused otherwise. */
    public void drain() {
        channels.drain();
    }

    @Override
    public void close() {
        hosting.close();
        tasks.close();
        channels.close();
        xmpp.ifPresent(AppXmpp::close);
        forms.close();
        more.close();
        requests.close();
        caches.close();
    }
}
