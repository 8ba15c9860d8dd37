package petrichor.movement.upstream;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;

/**
 * One database of the upstream and its move here. A thread does the background work in steps, each
 * under a lock; a switch takes the same lock. Thread-safe.
 */
final class UpstreamDatabase implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(UpstreamDatabase.class.getName());

    /** How long a switch waits for open transactions before it holds commits. */
    private static final Duration TRANSACTIONS_WAIT_MAX = Duration.ofMillis(500);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(5);
    private static final Duration POLL = Duration.ofMillis(500);

    private static final int REVERSE_STEPS_MAX = 100;

    /** Of the commits that a switch back still has to send. */
    private static final Duration REVERSE_LAG_MAX = Duration.ofSeconds(1);

    private final LocalCopy local;
    private final LocalCopy.EntityDatabases databases;
    private final UpstreamSettings settings;
    private final CallGate gate = new CallGate();
    private final UnfinishedTransactions transactions = new UnfinishedTransactions();
    private final CapturedWrites captured;
    private final Follower follower;
    private final ReverseStream reverse;
    private final MoveSteps steps;
    private final ShadowReads shadow;
    private final RoutedCalls calls;

    /** Held by each step and by each action. */
    private final ReentrantLock lock = new ReentrantLock(true);

    private final Condition woken = lock.newCondition();
    private volatile boolean wake;
    private volatile boolean closed;
    private volatile @Nullable String problem;
    private volatile @Nullable Thread worker;

    /** Null if the outcome of its last change is unknown. */
    private volatile @Nullable UpstreamState state;

    UpstreamDatabase(
            LocalCopy local,
            LocalCopy.EntityDatabases databases,
            UpstreamClient client,
            UpstreamSettings settings,
            ExecutorService platform,
            ShadowReads shadow) {
        this.local = local;
        this.databases = databases;
        this.settings = settings;
        this.state = loaded();
        this.captured =
                new CapturedWrites(local, TimeSource.SYSTEM, settings.callTimeout().toNanos());
        UpstreamEntities upstream = new UpstreamEntities(client, local);
        this.follower = new Follower(local, upstream, captured);
        this.reverse = new ReverseStream(local, client, settings.callTimeout().toNanos());
        this.steps =
                new MoveSteps(
                        local,
                        upstream,
                        captured,
                        follower,
                        reverse,
                        TimeUnit.NANOSECONDS.toMicros(settings.callTimeout().toNanos()));
        this.shadow = shadow;
        this.calls = new RoutedCalls(this, client, platform);
        startWork();
    }

    private UpstreamState loaded() {
        UpstreamState stored = local.state();
        if (stored == null) {
            if (!local.empty()) {
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        "The database {database} has entities here that did not come from the"
                                + " upstream; start without --upstream, or with another data"
                                + " folder.",
                        "database",
                        local.name());
            }
            return local.commit(LocalCopy.Part.NONE, first -> first);
        }
        return stored.phase() == UpstreamPhase.REVERSING
                ? local.commit(LocalCopy.Part.NONE, UpstreamState::withoutReversing)
                : stored;
    }

    LocalCopy local() {
        return local;
    }

    Datastore datastore() {
        return databases.datastore();
    }

    CallGate gate() {
        return gate;
    }

    UnfinishedTransactions transactions() {
        return transactions;
    }

    CapturedWrites captured() {
        return captured;
    }

    UpstreamState state() {
        UpstreamState known = state;
        return known == null ? reloaded() : known;
    }

    /** Under the lock of the move: a former state must not replace a later one. */
    private UpstreamState reloaded() {
        lock.lock();
        try {
            UpstreamState known = state;
            if (known == null) {
                known = loaded();
                state = known;
            }
            return known;
        } finally {
            lock.unlock();
        }
    }

    byte[] answer(UpstreamCall call) {
        byte[] response = calls.answer(call);
        shadow.offer(this, call, response);
        return response;
    }

    /** Whether this server follows, so that reads here and there give the same results. */
    boolean follows() {
        UpstreamState known = state;
        return known != null && known.phase() == UpstreamPhase.READY;
    }

    /** There is something to copy. */
    void wake() {
        wake = true;
        if (lock.tryLock()) {
            try {
                woken.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Copies what was written until now. */
    void catchUp() {
        lock.lock();
        try {
            follower.catchUp();
        } finally {
            lock.unlock();
        }
    }

    private UpstreamState changed(UnaryOperator<UpstreamState> next) {
        try {
            UpstreamState stored = local.commit(LocalCopy.Part.NONE, next);
            state = stored;
            return stored;
        } catch (RuntimeException unknown) {
            state = null;
            throw unknown;
        }
    }

    // Background work

    private synchronized void startWork() {
        Thread running = worker;
        if (!closed && state().phase().works() && (running == null || !running.isAlive())) {
            worker =
                    Thread.ofPlatform().daemon().name("upstream-" + local.name()).start(this::work);
        }
    }

    private void work() {
        Duration pause = FIRST_PAUSE;
        while (!closed) {
            lock.lock();
            try {
                if (!state().phase().works()) {
                    return;
                }
                wake = false;
                MoveSteps.Done done = steps.step(state(), this::changed);
                state = done.state();
                problem = null;
                pause = FIRST_PAUSE;
                if (!done.more() && !wake && !closed) {
                    var _ = woken.await(POLL.toMillis(), TimeUnit.MILLISECONDS);
                }
            } catch (InterruptedException stopped) {
                return;
            } catch (RuntimeException failed) {
                if (!Objects.equals(problem, failed.getMessage())) {
                    LOG.log(
                            System.Logger.Level.WARNING,
                            "The move of {0} from its upstream waits: {1}",
                            local.name(),
                            failed.getMessage());
                }
                problem = String.valueOf(failed.getMessage());
                steps.restart();
                try {
                    var _ = woken.await(pause.toMillis(), TimeUnit.MILLISECONDS);
                } catch (InterruptedException stopped) {
                    return;
                }
                pause = pause.multipliedBy(2);
                pause = pause.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : pause;
            } finally {
                lock.unlock();
            }
        }
    }

    // Actions

    /**
     * @param namespaces those that move; empty for all
     */
    void start(List<String> namespaces) {
        lock.lock();
        try {
            require(UpstreamPhase.FORWARDING);
            steps.deleteCopy();
            steps.restart();
            gate.holdWrites();
            if (!gate.awaitEmpty(CallGate.HOLD_MAX)) {
                throw busy();
            }
            state =
                    changed(
                            stored ->
                                    stored.with(UpstreamState.Copied.NONE)
                                            .started(
                                                    UpstreamPhase.COPY,
                                                    TimeSource.SYSTEM.epochMicros(),
                                                    namespaces));
        } finally {
            gate.open();
            lock.unlock();
        }
        startWork();
    }

    void verify() {
        lock.lock();
        try {
            require(UpstreamPhase.READY, UpstreamPhase.CATCH_UP);
            steps.restart();
            state =
                    changed(
                            stored ->
                                    stored.with(
                                            UpstreamPhase.CATCH_UP, UpstreamState.Compared.NONE));
            woken.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Makes this server the one that answers. Returns how long commits waited, in nanoseconds.
     * UNAVAILABLE, and nothing changes, if commits do not end in time.
     */
    long switchHere() {
        lock.lock();
        try {
            require(UpstreamPhase.READY);
            follower.requireDecided();
            gate.holdBegins();
            var _ = gate.await(transactions::none, TRANSACTIONS_WAIT_MAX);
            // While commits still flow, so that they wait for little.
            follower.catchUp();
            long begin = System.nanoTime();
            gate.holdWrites();
            if (!gate.awaitEmpty(CallGate.HOLD_MAX)) {
                throw busy();
            }
            follower.drain();
            reverse.begin();
            state = changed(stored -> stored.switchedAt(TimeSource.SYSTEM.epochMicros()));
            return System.nanoTime() - begin;
        } finally {
            gate.open();
            lock.unlock();
        }
    }

    /** Makes the upstream answer again. Returns how long commits waited, in nanoseconds. */
    long switchBack() {
        lock.lock();
        try {
            require(UpstreamPhase.REVERSIBLE);
            for (int step = 0; step < REVERSE_STEPS_MAX && reverse.step(); step++) {
                // While calls continue, so that they wait for little.
            }
            requireSmallLag();
            gate.holdBegins();
            var _ = gate.await(transactions::none, TRANSACTIONS_WAIT_MAX);
            requireSmallLag();
            drainReverse();
            long begin = System.nanoTime();
            gate.holdWrites();
            if (!gate.awaitEmpty(CallGate.HOLD_MAX)) {
                throw busy();
            }
            // Closes the database to all writers, also those of other interfaces.
            state = changed(stored -> stored.with(UpstreamPhase.REVERSING));
            try {
                drainReverse();
            } catch (RuntimeException failed) {
                state = changed(stored -> stored.with(UpstreamPhase.REVERSIBLE));
                throw failed;
            }
            state =
                    changed(
                            stored ->
                                    stored.started(
                                            UpstreamPhase.CATCH_UP,
                                            TimeSource.SYSTEM.epochMicros(),
                                            stored.namespaces()));
            return System.nanoTime() - begin;
        } finally {
            gate.open();
            lock.unlock();
        }
    }

    /** Until the commits of now are sent; others, which are not of entities, may continue. */
    private void drainReverse() {
        long end = local.database().rows().changes().newest();
        while (reverse.position() < end && reverse.step()) {
            // The next part.
        }
    }

    private void requireSmallLag() {
        long lag = reverse.lagMicros();
        if (lag > REVERSE_LAG_MAX.toNanos() / 1_000) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "The upstream is {seconds} s behind, so nothing was switched; try again when it"
                            + " has received the commits.",
                    "seconds",
                    TimeUnit.MICROSECONDS.toSeconds(lag));
        }
    }

    void complete() {
        lock.lock();
        try {
            require(UpstreamPhase.REVERSIBLE);
            state = changed(stored -> stored.with(UpstreamPhase.COMPLETED));
            reverse.end();
        } finally {
            lock.unlock();
        }
    }

    void cancel() {
        lock.lock();
        try {
            require(
                    UpstreamPhase.COPY,
                    UpstreamPhase.CATCH_UP,
                    UpstreamPhase.VERIFY,
                    UpstreamPhase.READY);
            gate.holdWrites();
            if (!gate.awaitEmpty(CallGate.HOLD_MAX)) {
                throw busy();
            }
            state =
                    changed(
                            stored ->
                                    stored.with(UpstreamState.Copied.NONE)
                                            .with(
                                                    UpstreamPhase.FORWARDING,
                                                    UpstreamState.Compared.NONE));
            steps.restart();
            gate.open();
            steps.deleteCopy();
        } finally {
            gate.open();
            lock.unlock();
        }
    }

    private void require(UpstreamPhase... wanted) {
        UpstreamPhase phase = state().phase();
        if (!List.of(wanted).contains(phase)) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The move of {database} is in the phase {phase}; this needs the phase"
                            + " {wanted}.",
                    "database",
                    local.name(),
                    "phase",
                    phase,
                    "wanted",
                    Stream.of(wanted).map(Enum::name).collect(Collectors.joining(" or ")));
        }
    }

    private static PetrichorException busy() {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "Calls under way did not end within {seconds} s, so nothing was switched; try"
                        + " again.",
                "seconds",
                CallGate.HOLD_MAX.toSeconds());
    }

    UpstreamStatus status() {
        UpstreamState now = state();
        long compared = steps.compared();
        return new UpstreamStatus(
                local.name(),
                now.phase(),
                settings.address().toString(),
                new UpstreamStatus.Copied(now.copied().entities(), now.copied().bytes()),
                lagSeconds(now.phase()),
                steps.settlesSeconds(now),
                new UpstreamStatus.Compared(
                        now.compared().at(),
                        compared < 0 ? now.compared().entities() : compared,
                        now.compared().mismatches(),
                        now.compared().examples()),
                reverse.sent(),
                Optional.ofNullable(problem));
    }

    private double lagSeconds(UpstreamPhase phase) {
        if (phase.captures()) {
            return captured.lagSeconds();
        }
        return phase == UpstreamPhase.REVERSIBLE
                ? reverse.lagMicros() / (double) TimeUnit.SECONDS.toMicros(1)
                : 0;
    }

    /** Stops the background work; it continues when the database is opened again. */
    @Override
    public void close() {
        closed = true;
        Thread running = worker;
        if (running != null) {
            running.interrupt();
            try {
                running.join(PAUSE_MAX.toMillis());
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
