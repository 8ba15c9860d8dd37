package petrichor.transactions.migration;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.transactions.rows.TableLayout;
import petrichor.transactions.scheduling.Futures;

/**
 * The migration of a database, in the server that owns it. Works in small units, one after another:
 * each copies a round of chunks, applies a piece of captured steps, or compares a range. What a
 * unit achieved is stored next to the commit point, so that the next owner continues there.
 *
 * <p>Thread-safe. A unit that fails is repeated after a pause; {@link #status} shows why.
 */
public final class Migration implements AutoCloseable {
    private static final Duration PAUSE_MIN = Duration.ofMillis(20);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(2);
    private static final long STORE_EVERY_NANOS = 1_000_000_000;

    /** Captured steps that are applied during the pause of a switch. */
    private static final int LEFT_AT_SWITCH_MAX = 16;

    /** Attempts to apply all but the last steps before a switch. */
    private static final int CATCH_UPS_MAX = 10_000;

    private enum Next {
        CONTINUE,
        AWAIT_STEP,
        AWAIT_REQUEST
    }

    private final MigrationContext context;
    private final MigrationChecks checks;

    /** Held during a unit and during requests. */
    private final ReentrantLock turn = new ReentrantLock();

    private volatile @Nullable MigrationState state;
    private volatile long position;
    private @Nullable Replay replay;
    private @Nullable Copy copy;
    private @Nullable CompletableFuture<MigrationState> round;
    private @Nullable Comparison comparison;
    private @Nullable CopyRate rate;
    private LatencyGovernor governor = new LatencyGovernor(0);
    private Duration copyPause = Duration.ZERO;
    private boolean scheduled;
    private volatile long takeovers;
    private long storedNanos;
    private Duration pause = PAUSE_MIN;
    private volatile @Nullable String problem;
    private volatile boolean closed;

    /** Continues a migration that a former owner began. */
    public Migration(MigrationContext context) {
        this.context = context;
        this.checks = new MigrationChecks(context);
        adopt(context.steps().point().migration());
    }

    private void adopt(@Nullable MigrationState stored) {
        closeComparison();
        takeovers = context.steps().point().takeovers();
        state = stored;
        replay = null;
        copy = null;
        round = null;
        rate = null;
        problem = null;
        if (stored != null) {
            position = stored.position();
            wake();
        }
    }

    private MigrationState require() {
        adoptIfTaken();
        MigrationState now = state;
        if (now == null) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} is not being migrated; `petrichor migrate start`"
                            + " begins.",
                    "database",
                    context.database());
        }
        return now;
    }

    // ---- requests

    /** What {@link #start} would do. */
    public MigrationPlan plan(String to) {
        return checks.plan(to, state != null);
    }

    /** Begins to copy the database to the store of that name, which then follows it. */
    public void start(String to) {
        turn.lock();
        try {
            checks.require(to, state != null);
            context.durable().requireOwned();
            long cleared =
                    FollowerRemoval.run(context, to, MigrationRows.withoutState(context.layout()));
            // Versions of captured steps must be above those in the other store.
            context.durable().pointBeyondNewest(cleared + 1, cleared + 1).leave();
            governor = new LatencyGovernor(context.steps().point().stepNanos());
            context.steps().point().startCapture();
            MigrationState begun =
                    new MigrationState(
                            context.steps().point().store(),
                            to,
                            MigrationPhase.COPY,
                            false,
                            context.time().epochMicros(),
                            Math.max(context.newestVersion(), cleared + 1),
                            MigrationState.Copied.NOTHING,
                            MigrationState.Verified.NEVER,
                            Copy.plan(context.durable().rows(), context.layout()));
            try {
                context.write(
                        MigrationRows.withState(context.layout(), begun)
                                .deleteRange(
                                        TableLayout.META,
                                        MigrationRows.capturedUpTo(
                                                context.layout(), begun.position())));
            } catch (RuntimeException failed) {
                withdraw();
                throw failed;
            }
            context.steps().point().capture(true);
            adopt(begun);
        } finally {
            turn.unlock();
        }
    }

    /** The first step may be stored or not: captures until it is certain that it is not. */
    private void withdraw() {
        try {
            context.write(MigrationRows.withoutState(context.layout()));
            context.steps().point().capture(false);
        } catch (RuntimeException failed) {
            context.steps().point().capture(true);
            throw failed;
        }
    }

    /** Empty if the database is not being migrated. */
    public Optional<MigrationStatus> status() {
        MigrationState now = state;
        return now == null
                ? Optional.empty()
                : Optional.of(
                        MigrationProgress.of(
                                now, position, context.newestVersion(), rate, problem));
    }

    /** Stops working until it is resumed; steps are still captured. */
    public void pause(boolean paused) {
        turn.lock();
        try {
            store(require().at(position).paused(paused));
            wake();
        } finally {
            turn.unlock();
        }
    }

    /**
     * Switches the database to the store that follows it. Commits wait meanwhile; the former store
     * then follows.
     */
    public Switched switchStores() {
        turn.lock();
        try {
            MigrationState now = require();
            checks.requireSwitchable(now);
            Replay all = replay(now);
            for (int i = 0; i < CATCH_UPS_MAX; i++) {
                if (all.piece(context.newestVersion()) <= LEFT_AT_SWITCH_MAX) {
                    break;
                }
            }
            long[] last = new long[1];
            long began = context.time().monotonicNanos();
            context.durable()
                    .relocate(
                            (previous, version) -> {
                                checks.requireNotTakenSince(takeovers);
                                last[0] = previous;
                                all.complete(previous);
                                return context.steps().point().leaveFor(now, previous, version);
                            });
            long pauseNanos = context.time().monotonicNanos() - began;
            adopt(context.steps().point().migration());
            checks.requireSwitched(now);
            return new Switched(context.steps().point().store(), last[0], pauseNanos);
        } finally {
            turn.unlock();
        }
    }

    /**
     * Ends the migration: the store that follows loses its rows. Before a switch this cancels it.
     */
    public void end() {
        turn.lock();
        try {
            MigrationState ending = require().at(position).in(MigrationPhase.END).paused(false);
            context.write(
                    MigrationRows.withState(context.layout(), ending)
                            .deleteRange(
                                    TableLayout.META, MigrationRows.captured(context.layout())));
            context.steps().point().capture(false);
            adopt(ending);
        } finally {
            turn.unlock();
        }
    }

    /**
     * Stops following a store that is too far behind, so that captured steps do not fill the disk.
     */
    public void tidy() {
        MigrationState now = state;
        if (now != null && (problem != null || now.phase() == MigrationPhase.END)) {
            wake();
        }
        if (context.steps().point().takeovers() == takeovers && !isTooFarBehind()) {
            return;
        }
        turn.lock();
        try {
            adoptIfTaken();
            if (isTooFarBehind()) {
                MigrationState stopped = require().at(position).in(MigrationPhase.STOPPED);
                context.write(
                        MigrationRows.withState(context.layout(), stopped)
                                .deleteRange(
                                        TableLayout.META,
                                        MigrationRows.captured(context.layout())));
                context.steps().point().capture(false);
                adopt(stopped);
            }
        } finally {
            turn.unlock();
        }
    }

    private boolean isTooFarBehind() {
        MigrationState now = state;
        long holdMicros = context.around().limits().consumerHold().toNanos() / 1_000;
        return now != null
                && now.phase().captures()
                && context.newestVersion() - position > holdMicros;
    }

    // ---- units

    /** Schedules a unit unless one is scheduled. */
    private void wake() {
        turn.lock();
        try {
            if (!scheduled && !closed) {
                scheduled = true;
                context.around().scheduler().run(this::work);
            }
        } finally {
            turn.unlock();
        }
    }

    private void work() {
        turn.lock();
        try {
            scheduled = false;
            if (closed || !context.durable().owned()) {
                closeComparison();
                return;
            }
            follow(unit());
            pause = PAUSE_MIN;
            problem = null;
        } catch (RuntimeException failed) {
            problem = failed.getMessage();
            closeComparison();
            copy = null;
            round = null;
            if (confirmed()) {
                repeat(pause);
            }
            Duration doubled = pause.multipliedBy(2);
            pause = doubled.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : doubled;
        } finally {
            turn.unlock();
        }
    }

    /** False if a successor may own the database, whose copy must not be disturbed. */
    private boolean confirmed() {
        try {
            adoptIfTaken();
            MigrationState now = state;
            if (now != null) {
                context.write(MigrationRows.withState(context.layout(), now));
            }
            return true;
        } catch (RuntimeException failed) {
            return false;
        }
    }

    private void follow(Next next) {
        switch (next) {
            case CONTINUE -> repeat(copyPause);
            case AWAIT_STEP -> {
                long seen = position;
                var _ = context.steps().commits().signal().next().thenRun(this::wake);
                if (context.newestVersion() > seen) {
                    wake();
                }
            }
            case AWAIT_REQUEST -> {}
        }
    }

    private void repeat(Duration after) {
        if (!scheduled) {
            scheduled = true;
            if (after.isZero()) {
                context.around().scheduler().run(this::work);
            } else {
                context.around().scheduler().runLater(this::work, after);
            }
        }
    }

    private Next unit() {
        CompletableFuture<MigrationState> running = round;
        if (running != null && !running.isDone()) {
            // Its end wakes this.
            return Next.AWAIT_REQUEST;
        }
        adoptIfTaken();
        MigrationState now = state;
        if (now == null || now.paused()) {
            return Next.AWAIT_REQUEST;
        }
        if (now.phase() != MigrationPhase.COPY) {
            round = null;
        }
        return switch (now.phase()) {
            case COPY -> copy(now);
            case CATCH_UP -> catchUp(now);
            case VERIFY -> verify(now);
            case READY, REVERSIBLE -> {
                int applied = replayPiece(now);
                yield applied > 0 ? Next.CONTINUE : Next.AWAIT_STEP;
            }
            case END -> remove(now);
            case STOPPED -> Next.AWAIT_REQUEST;
        };
    }

    /** A recovery may find that a step of unknown outcome had succeeded, even a switch. */
    private void adoptIfTaken() {
        if (context.steps().point().takeovers() != takeovers) {
            adopt(context.steps().point().migration());
        }
    }

    private Replay replay(MigrationState now) {
        Replay present = replay;
        if (present == null) {
            present = new Replay(context, context.follower(now), position);
            replay = present;
        }
        return present;
    }

    private Next copy(MigrationState now) {
        Copy present = copy;
        if (present == null) {
            present = new Copy(context, context.follower(now), now.position());
            // Its fences are newer than those of the owner, if that is another process by now.
            context.write(MigrationRows.withState(context.layout(), now));
            copy = present;
            rate = new CopyRate(context.time().monotonicNanos(), now);
        }
        CompletableFuture<MigrationState> running = round;
        if (running == null) {
            running = present.round(now);
            round = running;
            var _ = running.whenComplete((_, _) -> wake());
            return Next.AWAIT_REQUEST;
        }
        round = null;
        MigrationState after = Futures.join(running).paused(now.paused());
        if (after.copy().stream().allMatch(CopyRange::done)) {
            // Shuts out late rows of copiers that were replaced.
            var _ = context.follower(now).takeCopiers(Copy.WORKERS);
            copy = null;
            copyPause = Duration.ZERO;
            store(after.copied(after.copied(), List.of()).in(MigrationPhase.CATCH_UP));
            return Next.CONTINUE;
        }
        state = after;
        storeIfDue(after);
        if (rate != null) {
            rate.reached(context.time().monotonicNanos(), after);
        }
        copyPause = governor.next(context.steps().point().stepNanos());
        return Next.CONTINUE;
    }

    private Next catchUp(MigrationState now) {
        if (replayPiece(now) <= LEFT_AT_SWITCH_MAX) {
            store(now.at(position).in(MigrationPhase.VERIFY));
        }
        return Next.CONTINUE;
    }

    private int replayPiece(MigrationState now) {
        Replay from = replay(now);
        int applied = from.piece(context.newestVersion());
        position = from.position();
        if (applied > 0) {
            storeIfDue(now.at(position));
        }
        return applied;
    }

    private Next verify(MigrationState now) {
        Comparison present = comparison;
        if (present == null) {
            present = new Comparison(context, context.follower(now));
            comparison = present;
        }
        var _ = replayPiece(now);
        if (position >= present.needed() && !present.round(now.at(position))) {
            MigrationState.Verified result = present.result();
            closeComparison();
            store(now.at(position).verified(result).in(MigrationPhase.READY));
        }
        return Next.CONTINUE;
    }

    private void closeComparison() {
        Comparison present = comparison;
        if (present != null) {
            present.close();
            comparison = null;
        }
    }

    private Next remove(MigrationState now) {
        if (checks.isFormerStoreRead()) {
            // Until tidy() wakes this.
            return Next.AWAIT_REQUEST;
        }
        var _ =
                FollowerRemoval.run(
                        context, now.to(), MigrationRows.withState(context.layout(), now));
        context.write(MigrationRows.withoutState(context.layout()));
        adopt(null);
        return Next.AWAIT_REQUEST;
    }

    // ---- stored state

    /** Steps that are applied are no longer needed. */
    private void store(MigrationState now) {
        context.write(
                MigrationRows.withState(context.layout(), now)
                        .deleteRange(
                                TableLayout.META,
                                MigrationRows.capturedUpTo(context.layout(), now.position())));
        state = now;
        storedNanos = context.time().monotonicNanos();
    }

    private void storeIfDue(MigrationState now) {
        if (context.time().monotonicNanos() - storedNanos >= STORE_EVERY_NANOS) {
            store(now);
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
