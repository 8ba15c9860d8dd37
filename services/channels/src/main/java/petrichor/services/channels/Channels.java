package petrichor.services.channels;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.Cancellation;
import petrichor.base.MemoryBudget;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.services.channels.ChannelOwner.Opening;
import petrichor.services.channels.ChannelOwner.Polled;
import petrichor.services.channels.ChannelOwner.Registered;
import petrichor.services.channels.ChannelOwner.Report;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;
import petrichor.transactions.NotSequencedHere;

/**
 * The channels of all apps whose databases this server owns. Channels belong to one opening of the
 * database: with a change of the owner, undelivered messages are lost, and clients stay connected.
 * Every method fails with {@link NotOwner} if this server does not own the app's database.
 * Thread-safe; methods may block until the database is open.
 */
public final class Channels implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Channels.class);

    /** Reports of presence under way; further ones wait. */
    private static final int REPORTS_MAX = 50;

    private final Supplier<Databases> databases;
    private final ChannelTokens tokens;
    private final TimeSource time;
    private final RandomGenerator random;
    private final Presence presence;
    private final Executor workers;
    private final ProjectChannels.Resources resources;
    private final ChannelCounters counters = new ChannelCounters();
    private final Semaphore reports = new Semaphore(REPORTS_MAX);
    private final ConcurrentMap<String, Opened> opened = new ConcurrentHashMap<>();
    private volatile boolean closed;

    private record Opened(Database database, ProjectChannels channels) {}

    /**
     * A new token.
     *
     * @param text for the client's page
     * @param validity how long it is valid
     */
    public record Created(String text, Duration validity) {}

    /**
     * Counts of this server.
     *
     * @param channels at present
     * @param queued undelivered messages at present
     * @param accepted messages from apps since the start
     * @param delivered messages that were written to a browser since the start
     * @param discarded messages that no browser received since the start
     */
    public record Metrics(
            int channels, int queued, long accepted, long delivered, long discarded) {}

    /**
     * @param databases of the store in use, which a server may replace
     * @param memory for undelivered messages
     * @param workers threads that may block
     */
    public Channels(
            Supplier<Databases> databases,
            ChannelTokens tokens,
            ChannelLimits limits,
            MemoryBudget memory,
            Presence presence,
            TimeSource time,
            RandomGenerator random,
            Executor workers) {
        this.databases = databases;
        this.tokens = tokens;
        this.time = time;
        this.random = random;
        this.presence = presence;
        this.workers = workers;
        this.resources =
                new ProjectChannels.Resources(limits, memory, time, counters, this::report);
    }

    /**
     * Creates the channel of a client if there is none, and a token for it. RESOURCE_EXHAUSTED if
     * the app has too many channels.
     *
     * @param validity from one minute to {@link ChannelLimits#VALIDITY_MAX}; empty for {@link
     *     ChannelLimits#VALIDITY}
     */
    public Created create(String project, String clientId, Optional<Duration> validity) {
        requireClientId(clientId);
        Duration valid = validity.orElse(ChannelLimits.VALIDITY);
        if (valid.compareTo(Duration.ofMinutes(1)) < 0
                || valid.compareTo(ChannelLimits.VALIDITY_MAX) > 0) {
            throw new ChannelProblem(
                    ChannelProblem.Reason.INVALID_DURATION,
                    "a token is valid for 1 to "
                            + ChannelLimits.VALIDITY_MAX.toMinutes()
                            + " minutes, not "
                            + valid.toMinutes());
        }
        long expires = time.epochMicros() + valid.toSeconds() * 1_000_000;
        ProjectChannels channels = of(project);
        String token = tokens.sign(new ChannelToken(project, clientId, expires));
        channels.create(clientId, expires);
        return new Created(token, valid);
    }

    /**
     * Queues a message for a client, which need not be connected. If the client's queue is full,
     * the oldest message is discarded. RESOURCE_EXHAUSTED if there is no memory for it.
     *
     * @param message UTF-8; owned by this object
     */
    public void send(String project, String clientId, byte[] message) {
        requireClientId(clientId);
        if (message.length > ChannelLimits.MESSAGE_BYTES_MAX) {
            throw new ChannelProblem(
                    ChannelProblem.Reason.BAD_MESSAGE,
                    "the message has "
                            + message.length
                            + " bytes, at most "
                            + ChannelLimits.MESSAGE_BYTES_MAX
                            + " are allowed");
        }
        of(project).send(clientId, message);
    }

    private static void requireClientId(String clientId) {
        int bytes = clientId.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0 || bytes > ChannelLimits.CLIENT_ID_BYTES_MAX) {
            throw new ChannelProblem(
                    ChannelProblem.Reason.INVALID_CLIENT_ID,
                    "the id of a client has 1 to "
                            + ChannelLimits.CLIENT_ID_BYTES_MAX
                            + " bytes, not "
                            + bytes);
        }
    }

    /** See {@link ChannelOwner#register}. */
    public Registered register(String project, String server, List<Opening> openings) {
        return of(project).register(server, openings);
    }

    /** See {@link ChannelOwner#poll}. */
    public CompletableFuture<Polled> poll(
            String project, String server, long registration, Cancellation within) {
        return of(project).poll(server, registration, within);
    }

    /** See {@link ChannelOwner#report}. */
    public void report(String project, String server, Report report) {
        of(project).report(server, report);
    }

    private ProjectChannels of(String project) {
        if (closed) {
            throw new NotSequencedHere(project);
        }
        Database database = databases.get().open(project);
        if (!database.sequencedHere()) {
            throw new NotSequencedHere(project);
        }
        database.snapshot().close(); // refused unless this server is still the owner
        Opened known = opened.get(project);
        if (known != null && known.database().equals(database)) {
            return known.channels();
        }
        return opened.compute(
                        project,
                        (_, other) -> {
                            if (other != null && other.database().equals(database)) {
                                return other;
                            }
                            if (other != null) {
                                other.channels().close();
                            }
                            return new Opened(
                                    database,
                                    new ProjectChannels(
                                            project,
                                            random.nextLong(1, Long.MAX_VALUE),
                                            resources));
                        })
                .channels();
    }

    private void report(String project, String clientId, boolean connected, Runnable sent) {
        try {
            workers.execute(() -> reportNow(project, clientId, connected, sent));
        } catch (RejectedExecutionException stopping) {
            LOG.debug("the server stops; no report about a client of {}", project);
        }
    }

    private void reportNow(String project, String clientId, boolean connected, Runnable sent) {
        reports.acquireUninterruptibly();
        try {
            presence.report(project, clientId, connected);
        } catch (RuntimeException failed) {
            LOG.debug("no report about a client of {}", project, failed);
        } finally {
            reports.release();
            sent.run();
        }
    }

    /** Ends what has expired; to be called every second. */
    public void sweep() {
        opened.forEach(
                (project, one) -> {
                    if (isGone(one.database())) {
                        if (opened.remove(project, one)) {
                            one.channels().close();
                        }
                    } else {
                        one.channels().sweep();
                    }
                });
    }

    private static boolean isGone(Database database) {
        try {
            database.snapshot().close();
            return false;
        } catch (NotOwner moved) {
            return true;
        } catch (PetrichorException unavailable) {
            return false; // the store may answer again
        }
    }

    public Metrics metrics() {
        int channels = 0;
        int queued = 0;
        for (Opened one : opened.values()) {
            channels += one.channels().channels();
            queued += one.channels().queued();
        }
        return new Metrics(
                channels,
                queued,
                counters.acceptedTotal(),
                counters.deliveredTotal(),
                counters.discardedTotal());
    }

    /** Sends the polls of other servers to the next owner. */
    @Override
    public void close() {
        closed = true;
        opened.values().forEach(one -> one.channels().close());
        opened.clear();
    }
}
