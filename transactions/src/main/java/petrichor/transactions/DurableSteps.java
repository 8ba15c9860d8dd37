package petrichor.transactions;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.DurableStep;
import petrichor.kv.Reads;
import petrichor.kv.WriteBatch;

/**
 * Executes group commits of one database, one at a time: planned by its {@link Sequencer}, written
 * by its {@link CommitPoint}, published in its {@link ReadPoints}.
 *
 * <p>Threads: steps belong to the holder of the {@link Committer}'s lock; the state may be read by
 * any thread.
 *
 * <p>Failures: if the outcome of a step is unknown, nothing more is written under that epoch before
 * {@link Recovery} has determined it under a new one. If that fails too, or if the lease is lost,
 * nothing is written, and recovery is retried after a pause; reads continue. If another owner took
 * the database over, nothing is ever written again.
 */
final class DurableSteps {
    private final String database;
    private final CommitPoint commitPoint;
    private final CachedRows cached;
    private final Sequencer sequencer;
    private final ReadPoints readPoints;
    private final StoredWrites stored;
    private final Recovery recovery;
    private final TimeSource time;

    private volatile OwnerState state = OwnerState.OPEN;
    private volatile long epoch;
    private volatile long versionCeiling;
    private long durableVersion;
    private volatile @Nullable PetrichorException lastFailure;

    private final AtomicLong commits = new AtomicLong();
    private final AtomicLong syncs = new AtomicLong();
    private volatile long batchCommitsMax;
    private final AtomicLong recoveries = new AtomicLong();

    DurableSteps(
            String database,
            RowLayout layout,
            CommitPoints commitPoints,
            BooleanSupplier leased,
            CachedRows cached,
            TransactionLimits limits,
            TimeSource time) {
        this.database = database;
        this.cached = cached;
        this.commitPoint = commitPoints.of(layout, () -> owned() && leased.getAsBoolean());
        this.recovery = new Recovery(database, commitPoint, leased, limits, time);
        this.time = time;
        CommitPoint.Taken taken = commitPoint.take();
        this.epoch = taken.epoch();
        this.durableVersion = taken.last().version();
        this.versionCeiling = durableVersion;
        cached.restart(durableVersion);
        this.sequencer =
                new Sequencer(
                        layout.database(),
                        durableVersion,
                        limits.windowBytesMax(),
                        commitPoints.memory().caches());
        this.readPoints = new ReadPoints(commitPoint, durableVersion);
        this.stored = new StoredHistory(layout, commitPoint.live(), this::versionCeiling);
    }

    // ---- how things stand

    long epoch() {
        return epoch;
    }

    /** No row of the store has a higher version. */
    long versionCeiling() {
        return versionCeiling;
    }

    /** Rows as they are now, also those of our own. */
    Reads rows() {
        return commitPoint.live().rows();
    }

    /** A version that contains all that was acknowledged, and that the store itself shows. */
    long appliedVersion() {
        long version = readPoints.newestVersion();
        commitPoint.awaitApplied(version);
        return version;
    }

    ReadPoints readPoints() {
        return readPoints;
    }

    boolean owned() {
        return !state.isOver();
    }

    boolean open() {
        return state == OwnerState.OPEN;
    }

    /** Why nothing is written. */
    PetrichorException refusal() {
        return state.refusal(database, lastFailure);
    }

    /** Counters owned by this class; the caller supplies the others. */
    DatabaseMetrics metrics(
            long conflicts, long refusals, long queuedBytes, int openTransactions, int lockWaits) {
        return new DatabaseMetrics(
                commits.get(),
                conflicts,
                refusals,
                syncs.get(),
                batchCommitsMax,
                recoveries.get(),
                queuedBytes,
                openTransactions,
                lockWaits,
                readPoints.newestVersion(),
                Math.min(readPoints.oldest(), readPoints.newestVersion()),
                sequencer.windowSize());
    }

    // ---- a step

    /**
     * The plan of the next step. If planning fails, the commits admitted so far are withdrawn.
     *
     * @param withOwnRows it gets a version even if it has internal rows only: recovery recognizes a
     *     lost step by its version
     */
    Sequencer.Plan plan(List<CommitIntent> intents, boolean withOwnRows) {
        try {
            commitPoint.awaitRoom();
            long now = time.epochMicros();
            Sequencer.Plan plan = sequencer.plan(intents, now, stored);
            return withOwnRows && plan.rows().isEmpty()
                    ? new Sequencer.Plan(plan.rows(), sequencer.nextVersion(now), plan.results())
                    : plan;
        } catch (RuntimeException failed) {
            // Validation reads the store. What it admitted until then was never written.
            sequencer.recovered(durableVersion);
            throw unavailable(failed);
        }
    }

    /**
     * Makes a plan durable and visible.
     *
     * @param batch all commits that wait for the step
     * @param admitted commits in it
     * @param onDone completions to run when it is done
     * @param completions collects the completions to run
     */
    void write(
            Sequencer.Plan plan,
            List<Pending> batch,
            int admitted,
            List<Runnable> onDone,
            List<Runnable> completions) {
        versionCeiling = plan.version();
        switch (commit(plan.rows(), plan.version())) {
            case DONE -> {
                durableVersion = plan.version();
                cached.committed(plan.rows(), plan.version());
                try {
                    readPoints.publish(plan.version());
                } catch (RuntimeException failed) {
                    // Durable, but not visible: recovery opens a new view, then completes the
                    // futures.
                    lose(new LostStep(epoch, plan.version(), admitted, onDone, batch), completions);
                    return;
                }
                commits.addAndGet(admitted);
                batchCommitsMax = Math.max(batchCommitsMax, admitted);
                completions.addAll(onDone);
            }
            case FENCED -> {
                state = OwnerState.FENCED;
                PetrichorException reason = refusal();
                for (Pending pending : batch) {
                    completions.add(() -> pending.refuse(reason));
                }
            }
            case UNKNOWN ->
                    lose(new LostStep(epoch, plan.version(), admitted, onDone, batch), completions);
        }
    }

    private DurableStep.Outcome commit(WriteBatch rows, long version) {
        DurableStep.Outcome outcome;
        try {
            outcome = commitPoint.commit(rows, version);
        } catch (RuntimeException failed) {
            outcome = DurableStep.Outcome.UNKNOWN;
            lastFailure = unavailable(failed);
        }
        syncs.incrementAndGet();
        return outcome;
    }

    /**
     * A point at a version that no commit has reached yet, although the clock has. Later commits
     * will be above it, also after a crash: that is made durable first, with {@code now} so that
     * the next reader a moment later pays nothing.
     */
    ReadPoint pointBeyondNewest(long version, long now) {
        if (version > durableVersion) {
            makePromiseDurable(Math.max(version, now));
        }
        sequencer.promise(durableVersion);
        versionCeiling = Math.max(versionCeiling, durableVersion);
        return readPoints.at(version);
    }

    private void makePromiseDurable(long promised) {
        if (open()) {
            switch (commit(new WriteBatch(), promised)) {
                case DONE -> durableVersion = promised;
                case FENCED -> state = OwnerState.FENCED;
                case UNKNOWN -> becomeBroken();
            }
        }
        if (!open()) {
            throw refusal();
        }
    }

    /** The same version through a new view. */
    void refreshView() {
        // Not while a step of unknown outcome may be in the store.
        if (open()) {
            readPoints.publish(readPoints.newestVersion());
        }
    }

    void forgetUpTo(long version) {
        sequencer.forgetUpTo(version);
    }

    // ---- when a step has failed

    /** After an unexpected failure, no step runs before recovery. */
    PetrichorException breakOff(Throwable unforeseen) {
        PetrichorException reason = unavailable(unforeseen);
        lastFailure = reason;
        if (open()) {
            becomeBroken();
        }
        return reason;
    }

    private void lose(LostStep lost, List<Runnable> completions) {
        state = OwnerState.BROKEN;
        recovery.begin(lost);
        recover(completions);
    }

    private void becomeBroken() {
        state = OwnerState.BROKEN;
        recovery.begin();
    }

    /**
     * After a failed step: takes the database back, and continues after the last durable step
     * found.
     */
    void recover(List<Runnable> completions) {
        if (state != OwnerState.BROKEN || !recovery.isDue()) {
            return;
        }
        try {
            CommitPoint.Taken taken = recovery.takeBack();
            CommitPoint.LastCommit last = taken.last();
            epoch = taken.epoch();
            sequencer.recovered(last.version());
            durableVersion = Math.max(durableVersion, last.version());
            versionCeiling = Math.max(versionCeiling, durableVersion);
            cached.restart(durableVersion);
            readPoints.publish(durableVersion);
            state = OwnerState.OPEN;
            recoveries.incrementAndGet();
            commits.addAndGet(recovery.tellFate(last, completions));
        } catch (RuntimeException failed) {
            PetrichorException reason = unavailable(failed);
            lastFailure = reason;
            recovery.tellUnknown(reason, completions);
        }
    }

    void close() {
        state = OwnerState.CLOSED;
        readPoints.close();
        sequencer.close();
        commitPoint.close();
    }

    private PetrichorException unavailable(Throwable cause) {
        return new PetrichorException(
                ErrorCode.UNAVAILABLE,
                "The store failed: " + cause.getMessage() + " Retry later.",
                Map.of("database", database),
                cause);
    }
}
