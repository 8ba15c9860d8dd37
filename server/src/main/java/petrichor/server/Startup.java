package petrichor.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.entities.EntityDatabases;
import petrichor.entities.query.Queries;
import petrichor.frontends.datastore.DatastoreFrontEnd;
import petrichor.frontends.datastore.FrontEndSettings;
import petrichor.frontends.datastore.Observability;
import petrichor.frontends.http.Page;
import petrichor.rpc.Rpc;
import petrichor.server.config.ServerConfig;
import petrichor.server.data.Data;
import petrichor.server.data.StartProgress;
import petrichor.server.data.StartingDatabases;
import petrichor.transactions.TransactionMemory;

/**
 * Opens the data of a starting server. While a store or ZooKeeper does not answer, retries with
 * exponential backoff until {@code server.start-timeout} is over; every other failure, such as a
 * wrong password, ends the start at once. Meanwhile the log reports what the start waits for. If
 * the start takes longer than a second, the server already answers on its port: live, not ready,
 * and every request is UNAVAILABLE.
 */
final class Startup implements StartProgress, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Startup.class);

    private static final List<String> METHODS = List.of("GET", "POST", "PUT", "PATCH", "DELETE");
    private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(5);
    private static final Duration ANSWERS_AFTER = Duration.ofSeconds(1);
    private static final Duration FIRST_REPORT_AFTER = Duration.ofSeconds(2);
    private static final Duration REPORT_EVERY = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofMillis(100);

    private final ServerConfig config;
    private final FrontEndSettings settings;
    private final MemoryBudget memory;
    private final TransactionMemory shares;
    private final long started = System.nanoTime();
    private final Thread watch;
    private volatile String waitsFor = "";
    private volatile @Nullable String lastFailure;
    private volatile @Nullable PetrichorException cannotListen;
    private volatile boolean over;

    private Startup(
            ServerConfig config,
            FrontEndSettings settings,
            MemoryBudget memory,
            TransactionMemory shares) {
        this.config = config;
        this.settings = settings;
        this.memory = memory;
        this.shares = shares;
        this.watch = Thread.ofPlatform().daemon().name("startup").unstarted(this::watch);
    }

    /** UNAVAILABLE after the timeout, with the last thing it waited for. */
    static Data open(
            ServerConfig config,
            FrontEndSettings settings,
            MemoryBudget memory,
            TransactionMemory shares) {
        if (config.store().url().isEmpty() && config.store().placed().rules().isEmpty()) {
            return Data.open(config, shares);
        }
        try (Startup startup = new Startup(config, settings, memory, shares)) {
            startup.watch.start();
            return startup.open();
        }
    }

    private Data open() {
        Duration timeout = config.store().startTimeout();
        Duration pause = FIRST_PAUSE;
        while (true) {
            try {
                return Data.open(config, shares, this);
            } catch (PetrichorException failed) {
                PetrichorException portTaken = cannotListen;
                if (portTaken != null) {
                    throw portTaken;
                }
                if (failed.code() != ErrorCode.UNAVAILABLE) {
                    throw failed;
                }
                lastFailure = String.valueOf(failed.getMessage());
                if (elapsed().plus(pause).compareTo(timeout) > 0) {
                    throw gaveUp(timeout, failed);
                }
                LOG.debug("the start failed and is retried: {}", failed.getMessage());
                LockSupport.parkNanos(pause.toNanos());
                pause = pause.multipliedBy(2);
                pause = pause.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : pause;
            }
        }
    }

    private Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - started);
    }

    private static PetrichorException gaveUp(Duration timeout, PetrichorException last) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                last,
                "the server did not start within {timeout} s (server.start-timeout): {reason}",
                "timeout",
                timeout.toMillis() / 1000.0,
                "reason",
                last.getMessage(),
                "timeoutMillis",
                timeout.toMillis());
    }

    @Override
    public void waitsFor(String what) {
        waitsFor = what;
    }

    private String reason() {
        String failure = lastFailure;
        return "waiting for " + waitsFor + (failure == null ? "" : " (" + failure + ")");
    }

    private void watch() {
        try (Answers answers = new Answers()) {
            Duration nextReport = FIRST_REPORT_AFTER;
            while (!over) {
                LockSupport.parkNanos(this, POLL.toNanos());
                if (!over && elapsed().compareTo(ANSWERS_AFTER) > 0) {
                    answers.begin();
                }
                if (!over && elapsed().compareTo(nextReport) > 0) {
                    nextReport = elapsed().plus(REPORT_EVERY);
                    LOG.warn(
                            "{}; retrying for up to {} s",
                            reason(),
                            config.store().startTimeout().toSeconds());
                }
            }
        }
    }

    /** Responses of the server before its data is open. */
    private final class Answers implements AutoCloseable {
        private @Nullable DatastoreFrontEnd frontEnd;

        /** Port 0 is resolved only when the server listens, so nothing can be served before. */
        void begin() {
            if (frontEnd != null || settings.port() == 0 || cannotListen != null) {
                return;
            }
            DatastoreFrontEnd opened =
                    new DatastoreFrontEnd(
                            nothing(), settings, Rpc.STANDALONE, memory, Observability.none());
            try {
                opened.listenBeforeReady(pages(), List.of());
                frontEnd = opened;
            } catch (PetrichorException taken) {
                opened.close(Duration.ZERO);
                cannotListen = taken;
            }
        }

        /** Without the others, a page that will exist would not be found. */
        private List<Page> pages() {
            List<Page> pages =
                    new ArrayList<>(
                            new Health(
                                            List.of(
                                                    new Health.Check(
                                                            "startup",
                                                            () -> Optional.of(reason()))))
                                    .pages());
            for (String method : METHODS) {
                pages.add(
                        new Page(
                                method,
                                "/*",
                                Page.Access.OPEN,
                                Page.Lane.AT_ONCE,
                                _ -> {
                                    throw StartingDatabases.refusal(reason());
                                }));
            }
            return pages;
        }

        private Datastore nothing() {
            return new Datastore(
                    new EntityDatabases(new StartingDatabases(Startup.this::reason), List.of()),
                    config.transactions().concurrency(),
                    Queries.MissingIndexes.REFUSE,
                    TimeSource.SYSTEM);
        }

        @Override
        public void close() {
            if (frontEnd != null) {
                frontEnd.close(Duration.ZERO);
            }
        }
    }

    /** When this returns, the port is free. */
    @Override
    public void close() {
        over = true;
        LockSupport.unpark(watch);
        try {
            watch.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
