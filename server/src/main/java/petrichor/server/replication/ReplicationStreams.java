package petrichor.server.replication;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.OrderedWriter;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.KeyRange;
import petrichor.movement.replication.ReplicationLink;
import petrichor.movement.replication.ReplicationOwner;
import petrichor.movement.replication.ReplicationProgress;
import petrichor.movement.replication.ReplicationRun;
import petrichor.server.metrics.Readings;
import petrichor.services.users.Accounts;
import petrichor.services.users.SystemRows;
import petrichor.transactions.Databases;

/**
 * Runs the streams, which are rows of the system database. Every server of a cluster reads them
 * every second; the one that claims a stream first runs it, and renews its claim. If it ends, its
 * claim expires, and another server continues the stream. Thread-safe.
 */
final class ReplicationStreams implements AutoCloseable {
    static final int STREAMS_MAX = 100;

    private static final Logger LOG = LoggerFactory.getLogger(ReplicationStreams.class);
    private static final int TYPE = 'R';
    private static final String ALONE = "standalone";
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration END_WITHIN = Duration.ofSeconds(10);
    private static final double MICROS_PER_SECOND = 1e6;

    private final Supplier<Databases> databases;
    private final ReplicationOwner source;
    private final TargetsFile targets;
    private final FileReplicas files = new FileReplicas();
    private final SystemRows rows;
    private final String server;
    private final Map<String, Running> running = new ConcurrentHashMap<>();
    private final Thread thread;
    private volatile boolean closed;
    private boolean failing;

    /** A stream that this server runs. */
    private static final class Running {
        private final StreamState state;
        private final TargetClient target;
        private final AtomicBoolean wanted = new AtomicBoolean(true);
        private final ReplicationRun run;
        private final Thread thread;

        Running(StreamState state, ReplicationOwner source, TargetClient target) {
            this.state = state;
            this.target = target;
            this.run =
                    new ReplicationRun(
                            new ReplicationLink(state.stream(), source, target), wanted::get);
            this.thread =
                    Thread.ofVirtual().name("replication-" + state.stream().name()).start(run::run);
        }

        void stop() {
            wanted.set(false);
            target.close();
            thread.interrupt();
        }
    }

    /**
     * @param alone whether no other server has these databases: after a restart, the claims of the
     *     former process are this one's
     */
    ReplicationStreams(
            Supplier<Databases> databases,
            ReplicationOwner source,
            TargetsFile targets,
            boolean alone) {
        this.server = alone ? ALONE : UUID.randomUUID().toString();
        this.databases = databases;
        this.source = source;
        this.targets = targets;
        this.rows = new SystemRows(() -> databases.get().open(Accounts.DATABASE));
        this.thread = Thread.ofPlatform().daemon().name("replication").unstarted(this::follow);
    }

    void start() {
        thread.start();
    }

    private static Instant now() {
        return Instant.ofEpochMilli(TimeSource.SYSTEM.epochMicros() / 1_000);
    }

    private static byte[] key(StreamState state) {
        return key(state.stream().source(), state.stream().name());
    }

    private static byte[] key(String database, String name) {
        return new OrderedWriter().put(TYPE).putString(database).putString(name).toBytes();
    }

    List<StreamState> list() {
        // Opening the database would create it.
        return databases.get().names().contains(Accounts.DATABASE)
                ? rows.scan(KeyRange.ofPrefix(new OrderedWriter().put(TYPE).toBytes())).stream()
                        .map(StreamState::decode)
                        .toList()
                : List.of();
    }

    List<StreamState> list(String database) {
        return list().stream().filter(one -> one.stream().source().equals(database)).toList();
    }

    /** NOT_FOUND if there is none. */
    StreamState find(String database, String name) {
        return list(database).stream()
                .filter(one -> one.stream().name().equals(name))
                .findFirst()
                .orElseThrow(
                        () ->
                                PetrichorException.of(
                                        ErrorCode.NOT_FOUND,
                                        "{database} has no replication {name}; `petrichor replicate"
                                                + " status` lists them.",
                                        "database",
                                        database,
                                        "name",
                                        name));
    }

    /** ALREADY_EXISTS if there is a stream of this name. */
    void add(StreamState state) {
        if (list().size() >= STREAMS_MAX) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "There are {streamsMax} replications already; stop some.",
                    "streamsMax",
                    STREAMS_MAX);
        }
        rows.change(
                key(state),
                before -> {
                    if (before != null) {
                        throw PetrichorException.of(
                                ErrorCode.ALREADY_EXISTS,
                                "{database} has a replication {name} already; choose another name"
                                        + " with --name, or stop that one.",
                                "database",
                                state.stream().source(),
                                "name",
                                state.stream().name());
                    }
                    return state.encoded();
                });
        LockSupport.unpark(thread);
    }

    /** FAILED_PRECONDITION if another stream writes the files of the target. */
    void requireOwnFiles(StreamState state) {
        if (!(targets.target(state.target()) instanceof TargetsFile.Files(FilePlace place))) {
            return;
        }
        for (StreamState other : list()) {
            if (writes(other, place)) {
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        "The replication {name} of {database} writes {target} already; stop it, or"
                                + " name other files in the file of targets.",
                        "name",
                        other.stream().name(),
                        "database",
                        other.stream().source(),
                        "target",
                        place);
            }
        }
    }

    private boolean writes(StreamState stream, FilePlace place) {
        try {
            return targets.target(stream.target()) instanceof TargetsFile.Files(FilePlace other)
                    && other.overlaps(place);
        } catch (PetrichorException removed) {
            // Its section is no longer in the file of targets.
            return false;
        }
    }

    void pause(StreamState state, boolean paused) {
        change(state, before -> before.withPaused(paused));
        LockSupport.unpark(thread);
    }

    void remove(StreamState state) {
        rows.change(key(state), _ -> null);
        LockSupport.unpark(thread);
    }

    private void change(StreamState state, UnaryOperator<StreamState> change) {
        rows.change(
                key(state),
                before ->
                        before == null ? null : change.apply(StreamState.decode(before)).encoded());
    }

    /** A connection of its own, which the caller closes. */
    TargetClient target(StreamState state, Duration callMax) {
        return new TargetClient(targets, files, state.target(), callMax);
    }

    ReplicationLink link(StreamState state, TargetClient target) {
        return new ReplicationLink(state.stream(), source, target);
    }

    /** Of a run at this server. */
    Optional<ReplicationProgress> progress(StreamState state) {
        return Optional.ofNullable(running.get(state.stream().id())).map(one -> one.run.progress());
    }

    private void follow() {
        while (!closed) {
            try {
                List<StreamState> known = list();
                for (Running one : List.copyOf(running.values())) {
                    if (known.stream().noneMatch(state -> continues(one, state))) {
                        one.stop();
                        running.remove(one.state.stream().id());
                    }
                }
                for (StreamState state : known) {
                    claim(state);
                }
                failing = false;
            } catch (RuntimeException unreadable) {
                if (!failing && !closed) {
                    failing = true;
                    LOG.warn("replications cannot be read: {}", unreadable.getMessage());
                }
            }
            LockSupport.parkNanos(this, POLL.toNanos());
        }
        running.values().forEach(Running::stop);
    }

    private boolean continues(Running one, StreamState state) {
        return state.stream().id().equals(one.state.stream().id())
                && state.claimedBy(server)
                && !state.paused();
    }

    /** Claims or renews. */
    private void claim(StreamState state) {
        Instant now = now();
        boolean renewed =
                state.claimedBy(server)
                        && now.isBefore(
                                state.claim()
                                        .orElseThrow()
                                        .until()
                                        .minus(StreamState.CLAIM.dividedBy(2)));
        if (!state.claimableAt(now, server)
                || (renewed && runs(running.get(state.stream().id())))) {
            return;
        }
        AtomicBoolean claimed = new AtomicBoolean();
        rows.change(
                key(state),
                before -> {
                    StreamState current = before == null ? null : StreamState.decode(before);
                    claimed.set(current != null && current.claimableAt(now, server));
                    return claimed.get() && current != null
                            ? current.claimed(server, now).encoded()
                            : before;
                });
        if (claimed.get()) {
            var _ =
                    running.compute(
                            state.stream().id(),
                            (_, known) -> {
                                if (runs(known)) {
                                    return known;
                                }
                                if (known != null) {
                                    known.stop();
                                }
                                return new Running(
                                        state,
                                        source,
                                        new TargetClient(targets, files, state.target()));
                            });
        }
    }

    /** False also after an error that ended the thread. */
    private static boolean runs(@Nullable Running one) {
        return one != null && one.thread.isAlive();
    }

    MetricSnapshots metrics() {
        List<Readings.Point> lags = new ArrayList<>();
        List<Readings.Point> commits = new ArrayList<>();
        List<Readings.Point> sent = new ArrayList<>();
        List<Readings.Point> retries = new ArrayList<>();
        for (Running one : running.values()) {
            Labels labels =
                    Labels.of(
                            "database",
                            one.state.stream().source(),
                            "stream",
                            one.state.stream().name());
            ReplicationProgress progress = one.run.progress();
            long since = progress.behindSince();
            long lag = since == 0 ? 0 : TimeSource.SYSTEM.epochMicros() - since;
            lags.add(new Readings.Point(labels, Math.max(0, lag) / MICROS_PER_SECOND));
            commits.add(new Readings.Point(labels, progress.commits()));
            sent.add(new Readings.Point(labels, progress.sentBytes()));
            retries.add(new Readings.Point(labels, progress.retries()));
        }
        return new Readings()
                .gauges(
                        "petrichor_replication_lag_seconds",
                        "Age of the oldest commit that a replica does not have.",
                        lags)
                .counters(
                        "petrichor_replication_commits_total",
                        "Transactions sent to replicas since the start of the stream.",
                        commits)
                .counters(
                        "petrichor_replication_sent_bytes_total",
                        "Compressed rows sent to replicas since the start of the stream.",
                        sent)
                .counters(
                        "petrichor_replication_retries_total",
                        "Failed requests of streams, which were repeated.",
                        retries)
                .snapshots();
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            if (thread.isAlive()) {
                var _ = thread.join(END_WITHIN);
            }
            for (Running one : running.values()) {
                one.stop();
                var _ = one.thread.join(END_WITHIN);
            }
            files.close();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
