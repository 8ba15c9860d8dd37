package petrichor.server.apps;

import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.net.InetAddress;
import java.net.URI;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.MemoryBudget;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.PlatformCalls;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.blobstore.BlobImages;
import petrichor.frontends.appengine.blobstore.BlobInfos;
import petrichor.frontends.appengine.blobstore.BlobstoreApi;
import petrichor.frontends.appengine.images.ImagesApi;
import petrichor.frontends.appengine.images.ServingPages;
import petrichor.frontends.appengine.mail.MailApi;
import petrichor.frontends.appengine.mail.MailPages;
import petrichor.frontends.appengine.search.SearchCalls;
import petrichor.frontends.appengine.urlfetch.UrlFetch;
import petrichor.frontends.appengine.user.SignInPages;
import petrichor.frontends.appengine.user.UserApi;
import petrichor.frontends.appengine.user.UserPages;
import petrichor.frontends.http.Page;
import petrichor.server.config.AppServiceSettings;
import petrichor.services.fetch.AddressGuard;
import petrichor.services.fetch.FetchLimits;
import petrichor.services.fetch.TlsContexts;
import petrichor.services.fetch.UrlFetcher;
import petrichor.services.images.ImageLimits;
import petrichor.services.images.Images;
import petrichor.services.mail.Inbox;
import petrichor.services.mail.InboxSettings;
import petrichor.services.mail.MailLimits;
import petrichor.services.mail.Outbox;
import petrichor.services.mail.SenderRules;
import petrichor.services.mail.SmtpTransport;
import petrichor.services.users.Accounts;
import petrichor.services.users.Directory;
import petrichor.services.users.LdapDirectory;
import petrichor.services.users.OpenIdProvider;
import petrichor.services.users.Sessions;
import petrichor.services.users.SignIn;
import petrichor.transactions.Databases;

/** Assembles URL fetch, images, blobs, mail, users and search of apps. Thread-safe. */
final class AppServices implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AppServices.class);

    /** Shares of the process's memory that each service may use at most. */
    private static final int FETCH_PERCENT = 40;

    private static final int IMAGES_PERCENT = 40;
    private static final int MAIL_PERCENT = 20;

    private static final int DELIVERY_S = 5;
    private static final int THREAD_IDLE_S = 10;
    private static final int MAIL_CONNECTIONS_MAX = 50;

    private final AppServiceSettings settings;
    private final Map<String, URI> targets;
    private final Deployed deployed;
    private final Supplier<Databases> databases;
    private final AppEngine.BlobAccess blobs;
    private final BlobInfos blobInfos;
    private final MemoryBudget memory;
    private final AppRequests apps;
    private final Supplier<List<String>> members;
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final ExecutorService lookups = lookups();
    private final ExecutorService imageThreads = Images.threads(ImageLimits.DEFAULT);
    private final MemoryBudget imageMemory;
    private final Images images;
    private final BlobImages imageBlobs;
    private final Accounts accounts;
    private final Outbox outbox;
    private final AppSearch search;
    private @Nullable ScheduledExecutorService mailClock;
    private @Nullable Inbox inbox;

    /** The deployed apps. */
    interface Deployed {
        boolean has(String project);

        /** Where users reach the app. */
        String url(String project);
    }

    /**
     * @param targets where apps receive requests
     * @param apps sends requests there
     * @param members HOST:PORT of the servers of the cluster
     */
    AppServices(
            AppServiceSettings settings,
            Map<String, URI> targets,
            Deployed deployed,
            AppEngine.CurrentData data,
            AppEngine.BlobAccess blobs,
            MemoryBudget memory,
            AppRequests apps,
            Supplier<List<String>> members) {
        this.settings = settings;
        this.targets = targets;
        this.deployed = deployed;
        this.databases = data.databases();
        this.blobs = blobs;
        this.blobInfos = new BlobInfos(data.datastore());
        this.memory = memory;
        this.imageMemory = memory.sharePercent("app images", IMAGES_PERCENT);
        this.images = new Images(ImageLimits.DEFAULT, imageMemory, imageThreads);
        this.imageBlobs = new BlobImages(blobs.blobs(), data.datastore(), this::pagesBase);
        this.apps = apps;
        this.members = members;
        this.accounts =
                new Accounts(() -> databases.get().open(Accounts.DATABASE), new SecureRandom());
        this.outbox =
                new Outbox(
                        project -> databases.get().open(project),
                        settings.mail().server().map(SmtpTransport::new),
                        new SenderRules(accounts::admins, settings.mail().senders()),
                        new MailLimits(
                                settings.mail().rate(),
                                MailLimits.DEFAULT.queuedMax(),
                                MailLimits.DEFAULT.keptMax()),
                        memory.sharePercent("app mail", MAIL_PERCENT),
                        TimeSource.SYSTEM,
                        workers);
        this.search =
                new AppSearch(
                        databases,
                        settings.search()
                                .folder()
                                .or(() -> data.folder().map(folder -> folder.resolve("search"))),
                        memory,
                        workers);
    }

    /** Name servers block their threads; threads end when they are idle. */
    private static ExecutorService lookups() {
        ThreadPoolExecutor threads =
                new ThreadPoolExecutor(
                        FetchLimits.LOOKUPS_MAX,
                        FetchLimits.LOOKUPS_MAX,
                        THREAD_IDLE_S,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(), // at most FetchLimits.fetchesMax
                        Thread.ofPlatform().name("lookup-", 0).daemon().factory());
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    List<BundledService> services() {
        MemoryBudget fetches = memory.sharePercent("app fetches", FETCH_PERCENT);
        return List.of(
                new FirstUse(
                        "urlfetch",
                        () ->
                                new UrlFetch(
                                        fetcher(
                                                new FetchLimits(
                                                        settings.fetch().concurrency(),
                                                        FetchLimits.DEFAULT.fetchesMax())),
                                        fetches,
                                        AppServices::mayTakeLong)),
                new FirstUse("images", () -> new ImagesApi(images, imageBlobs)),
                new FirstUse(
                        "blobstore",
                        () -> new BlobstoreApi(blobs.blobs().get(), blobInfos, this::uploadBase)),
                new FirstUse("mail", () -> new MailApi(outbox)),
                new FirstUse("search", () -> new SearchCalls(search.service(), TimeSource.SYSTEM)),
                new FirstUse("user", () -> new UserApi(settings.users().loginUrl(), targets::get)));
    }

    /** Like the sign-in pages, unless those are on the host of each app. */
    private String pagesBase(String project) {
        String pages = settings.users().loginUrl();
        if (!pages.isEmpty()) {
            return pages;
        }
        return isServedByRouter(project) ? deployed.url(project) : blobs.uploadBase().get();
    }

    /** On the host that the user has asked, whose cookies the browser sends with the upload. */
    private String uploadBase(CallingApp app) {
        boolean known = isServedByRouter(app.project()) && !app.origin().isEmpty();
        return known && settings.users().loginUrl().isEmpty()
                ? app.origin()
                : pagesBase(app.project());
    }

    private boolean isServedByRouter(String project) {
        return !targets.containsKey(project) && deployed.has(project);
    }

    /** The URLs that serve images. */
    List<Page> servingPages(PlatformCalls calls) {
        return new ServingPages(images, imageBlobs, calls, imageMemory).pages();
    }

    /** Tickets do not say whether a request is a task: the deadline of the call itself counts. */
    private static boolean mayTakeLong(ServiceCall call) {
        return true;
    }

    /** Sends requests of apps, within these limits. */
    UrlFetcher fetcher(FetchLimits limits) {
        return new UrlFetcher(
                new AddressGuard(
                        settings.fetch().allowed(),
                        this::isOfTheCluster,
                        AddressGuard.Resolver.SYSTEM,
                        lookups),
                limits,
                TlsContexts.system(),
                host -> targets.values().stream().anyMatch(url -> host.equals(url.getHost())),
                workers,
                TimeSource.SYSTEM);
    }

    private boolean isOfTheCluster(InetAddress address) {
        return members.get().stream()
                .map(member -> member.substring(0, Math.max(0, member.lastIndexOf(':'))))
                .anyMatch(host -> host.equals(address.getHostAddress()));
    }

    void register(PrometheusRegistry registry) {
        GaugeWithCallback.builder()
                .name("petrichor_mails_waiting")
                .help("Mails of apps that wait to be sent.")
                .callback(gauge -> gauge.call(outbox.queued()))
                .register(registry);
        registry.register(search::metrics);
    }

    /**
     * @param secure whether browsers use TLS
     */
    List<Page> pages(boolean secure) {
        Sessions sessions = new Sessions(accounts, settings.users().session(), TimeSource.SYSTEM);
        SignIn signIn =
                new SignIn(
                        accounts,
                        settings.users()
                                .ldap()
                                .<Directory>map(LdapDirectory::new)
                                .orElse(Directory.NONE),
                        TimeSource.SYSTEM);
        List<Page> pages = new ArrayList<>();
        pages.addAll(
                new SignInPages(
                                sessions,
                                signIn,
                                settings.users()
                                        .openId()
                                        .map(
                                                provider ->
                                                        new OpenIdProvider(
                                                                provider, accounts, sessions)),
                                this::isOfAnApp,
                                secure)
                        .pages());
        pages.addAll(new UserPages(accounts).pages());
        pages.addAll(new MailPages(outbox).pages());
        return pages;
    }

    /** Whether an authority is that of an app's target. */
    private boolean isOfAnApp(String authority) {
        return targets.values().stream().anyMatch(url -> authority.equals(url.getAuthority()));
    }

    /** Continues to send mails, and begins to receive them. */
    void start(InetAddress address) {
        AppServiceSettings.Mail mail = settings.mail();
        if (mail.server().isPresent()) {
            workers.execute(this::resumeMails);
            ScheduledExecutorService clock =
                    Executors.newSingleThreadScheduledExecutor(
                            Thread.ofPlatform().name("mail-clock").daemon().factory());
            var _ =
                    clock.scheduleWithFixedDelay(
                            outbox::deliverDue, DELIVERY_S, DELIVERY_S, TimeUnit.SECONDS);
            mailClock = clock;
        }
        if (mail.inboundPort() > 0) {
            inbox =
                    Inbox.start(
                            new InboxSettings(
                                    address,
                                    mail.inboundPort(),
                                    mail.inboundDomains(),
                                    MAIL_CONNECTIONS_MAX),
                            new AppMailDelivery(apps),
                            memory.sharePercent("incoming mail", MAIL_PERCENT));
        }
    }

    private void resumeMails() {
        for (String name : databases.get().names()) {
            if (name.indexOf('/') < 0 && !name.equals(Accounts.DATABASE)) {
                try {
                    outbox.resume(name);
                } catch (PetrichorException | NotOwner e) {
                    LOG.warn("mails of {} wait: {}", name, e.getMessage());
                }
            }
        }
    }

    /** The port that receives mails; empty if none are received. */
    Optional<Integer> inboxPort() {
        return Optional.ofNullable(inbox).map(Inbox::port);
    }

    @Override
    public void close() {
        if (inbox != null) {
            inbox.close();
        }
        if (mailClock != null) {
            mailClock.shutdownNow();
        }
        search.close();
        workers.shutdownNow();
        lookups.shutdownNow();
        imageThreads.shutdownNow();
    }
}
