package petrichor.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.entities.Datastore;
import petrichor.frontends.datastore.DatastoreFrontEnd;
import petrichor.frontends.datastore.FrontEndSettings;
import petrichor.frontends.datastore.Page;

/**
 * A running Petrichor. {@link #start} returns when requests are answered; {@link #close} lets those
 * that run end, then closes the store. Safe for any thread.
 */
public final class Server implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Server.class);

    private final ServerConfig config;
    private final DatastoreFrontEnd frontEnd;
    private final SubmittedJobs jobs;
    private final CountDownLatch shutdownAsked = new CountDownLatch(1);
    private volatile Data data;
    private volatile boolean stopping;
    private boolean closed;

    private Server(ServerConfig config, Data data, FrontEndSettings settings) {
        this.config = config;
        this.data = data;
        this.jobs = new SubmittedJobs(config);
        this.frontEnd = new DatastoreFrontEnd(data.datastore(), settings, data.peers());
    }

    /**
     * Fails with a text that says what to change when the configuration cannot be served: a port or
     * a folder that is in use, an open address without authentication, unusable certificates.
     */
    public static Server start(ServerConfig config) {
        FrontEndSettings settings = settings(config); // refuse before the store is touched
        return start(config, settings, Data.open(config));
    }

    /** On what was opened already; takes it over. */
    static Server start(ServerConfig config, Data data) {
        return start(config, settings(config), data);
    }

    private static Server start(ServerConfig config, FrontEndSettings settings, Data data) {
        @Nullable Server server = null;
        try {
            server = new Server(config, data, settings);
            server.frontEnd.listen(server.pages());
            int port = server.port();
            data.cluster().ifPresent(node -> node.join(ClusterStart.address(config, port)));
            server.jobs.settle();
            LOG.info("listening on {}:{}", config.server().host(), server.port());
            return server;
        } catch (RuntimeException failed) {
            if (server != null) {
                server.frontEnd.close();
            }
            data.close();
            throw failed;
        }
    }

    /** Where it listens, with the port that was taken if the configured one was 0. */
    public int port() {
        return frontEnd.port();
    }

    public ServerConfig config() {
        return config;
    }

    /** The servers of the cluster that this one is in; none if it is alone. */
    public List<String> members() {
        return data.cluster()
                .map(node -> node.standings().stream().map(one -> one.member().address()).toList())
                .orElse(List.of());
    }

    /** The API without the wire, for programs in the same process. */
    public Datastore datastore() {
        return data.datastore();
    }

    /** Returns when somebody asked for the end with {@code POST /shutdown}, or it is closed. */
    public void awaitShutdown() throws InterruptedException {
        shutdownAsked.await();
    }

    private List<Page> pages() {
        List<Page> pages = new ArrayList<>();
        pages.add(new Page("GET", "/", false, _ -> Page.Answer.text(200, "Ok\n")));
        pages.addAll(new Health(checks()).pages());
        pages.add(
                new MetricsPage(List.of(frontEnd::writeMetrics, out -> data.writeMetrics(out)))
                        .page());
        pages.add(
                new Page(
                        "GET",
                        "/version",
                        false,
                        _ ->
                                Page.Answer.json(
                                        200,
                                        "{\"name\": \"petrichor\", \"version\": \""
                                                + Version.text()
                                                + "\", \"java\": \""
                                                + Runtime.version()
                                                + "\"}\n")));
        pages.add(new IndexesPage(() -> data).page());
        pages.add(new ClusterPage(() -> data).page());
        pages.addAll(new JobsPage(jobs).pages());
        pages.add(new Page("POST", "/reset", true, this::reset));
        pages.add(new Page("POST", "/shutdown", true, this::shutdown));
        return pages;
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

    /** Forgets everything: a new, empty store takes the old one's place. */
    private Page.Answer reset(Page.Request request) {
        if (!config.store().memory()) {
            return refused("reset would delete what is in " + config.store().data());
        }
        synchronized (this) {
            if (closed) {
                return Page.Answer.text(503, "the server is stopping\n");
            }
            Data old = data;
            Data fresh = Data.open(config);
            data = fresh;
            frontEnd.serve(fresh.datastore());
            old.close();
        }
        LOG.info("reset: all data forgotten");
        return Page.Answer.text(200, "Resetting...\n");
    }

    private Page.Answer shutdown(Page.Request request) {
        if (!config.store().memory()) {
            return refused("stop a server with a data folder with Ctrl-C or SIGTERM");
        }
        stopping = true;
        shutdownAsked.countDown();
        return Page.Answer.text(200, "Shutting down local server\n");
    }

    private static Page.Answer refused(String why) {
        return Page.Answer.text(
                403, "only a server started with --memory does this; " + why + "\n");
    }

    private static FrontEndSettings settings(ServerConfig config) {
        return new FrontEndSettings(
                ListenAddress.of(config),
                config.server().port(),
                config.tls().orElse(null),
                token(config.auth()),
                config.limits(),
                config.store().url().isPresent() || !config.store().placed().rules().isEmpty()
                        ? FrontEndSettings.Execution.forStoreElsewhere()
                        : FrontEndSettings.Execution.forThisMachine());
    }

    static @Nullable String token(ServerConfig.Access auth) {
        if (auth.tokenFile().isEmpty()) {
            return auth.token().orElse(null);
        }
        Path file = auth.tokenFile().get();
        try {
            String token = Files.readString(file).lines().findFirst().orElse("").strip();
            if (!token.isEmpty()) {
                return token;
            }
            throw new PetrichorException(
                    ErrorCode.FAILED_PRECONDITION,
                    "auth.token-file " + file + " is empty; its first line must be the token");
        } catch (IOException unreadable) {
            throw FileProblem.of("cannot read auth.token-file " + file, unreadable);
        }
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
        jobs.close();
        frontEnd.close(config.server().drain());
        data.close();
        shutdownAsked.countDown();
        LOG.info("stopped");
    }
}
