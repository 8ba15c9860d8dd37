package petrichor.transactions.commit;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.DurableStep;
import petrichor.kv.Reads;
import petrichor.kv.WriteBatch;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.changes.ChangeLog;
import petrichor.transactions.changes.StepChanges;
import petrichor.transactions.log.CommitPoint;
import petrichor.transactions.log.CommitPoints;
import petrichor.transactions.log.StepMemory;
import petrichor.transactions.rows.CachedRows;
import petrichor.transactions.rows.ReadPoint;
import petrichor.transactions.rows.StoredHistory;
import petrichor.transactions.rows.StoredWrites;
import petrichor.transactions.rows.TableLayout;

/**
 * Executes the durable steps of one database, one at a time: planned by its {@link Sequencer},
 * written by its {@link CommitPoint}, published in its {@link ReadPoints}.
 *
 * <p>Thread-safe: a lock is held during a step and during everything that must not overlap with
 * one, but not while futures complete.
 *
 * <p>Failures: if the outcome of a step is unknown, nothing more is written under that epoch until
 * {@link Recovery} has determined it under a new epoch. If that fails too, or if the lease is lost,
 * nothing is written, and recovery is retried after a pause; reads continue. If another owner took
 * over the database, this instance never writes again.
 */
public final class DurableSteps implements AutoCloseable {
    private final String database;
    private final CommitPoint commitPoint;
    private final CachedRows cached;
    private final Sequencer sequencer;
    private final ReadPoints readPoints;
    private final StoredWrites stored;
    private final ChangeLog changeLog;
    private final Recovery recovery;
    private final TimeSource time;
    private final CommitCounters counters;

    private final ReentrantLock working = new ReentrantLock();

    private volatile OwnerState state = OwnerState.OPEN;
    private volatile long epoch;
    private volatile long versionCeiling;
    private long durableVersion;
    private volatile long takenVersion;
    private volatile @Nullable PetrichorException lastFailure;

    public DurableSteps(
            String database,
            TableLayout layout,
            CommitPoints commitPoints,
            Function<BooleanSupplier, CommitPoint> opener,
            BooleanSupplier leased,
            CachedRows cached,
            CommitCounters counters,
            TransactionLimits limits,
            TimeSource time) {
        this.database = database;
        this.cached = cached;
        this.counters = counters;
        this.commitPoint = opener.apply(() -> owned() && leased.getAsBoolean());
        this.recovery = new Recovery(database, commitPoint, leased, limits, time);
        this.time = time;
        CommitPoint.Taken taken = commitPoint.take();
        this.epoch = taken.epoch();
        this.durableVersion = Math.max(taken.last().version(), layout.branchedAt());
        this.takenVersion = durableVersion;
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
        this.changeLog = new ChangeLog(layout, commitPoints.stores().valueBytesMax());
    }

    // ---- state

    public long epoch() {
        return epoch;
    }

    /** Upper bound of all versions in the store. */
    public long versionCeiling() {
        return versionCeiling;
    }

    /** The current rows, including this owner's internal ones. */
    public Reads rows() {
        return commitPoint.live().rows();
    }

    /**
     * A version that contains every acknowledged commit and whose rows are all in the store itself.
     */
    public long appliedVersion() {
        long version = readPoints.newestVersion();
        commitPoint.awaitApplied(version);
        return version;
    }

    /** Of the last step before this process took the database, which another may have written. */
    public long takenVersion() {
        return takenVersion;
    }

    public ChangeLog changeLog() {
        return changeLog;
    }

    public ReadPoints readPoints() {
        return readPoints;
    }

    public boolean owned() {
        return !state.isOver();
    }

    /** Fails if the database was taken over or closed: it cannot serve the newest version then. */
    public void requireOwned() {
        if (!owned()) {
            throw refusal();
        }
    }

    private boolean open() {
        return state == OwnerState.OPEN;
    }

    private void requireOpen() {
        if (!open()) {
            throw refusal();
        }
    }

    /** The reason why writes are refused. */
    PetrichorException refusal() {
        return state.refusal(database, lastFailure);
    }

    /** Number of recent writes in the conflict window. */
    public int windowSize() {
        return sequencer.windowSize();
    }

    // ---- a step

    /**
     * Plans the group, makes it durable and visible. Each of its commits is in one of the results,
     * which the caller completes.
     *
     * @param memory of the group, for as long as it is needed
     */
    List<StepResult> perform(List<Pending> group, StepMemory memory) {
        working.lock();
        try {
            List<StepResult> results = new ArrayList<>(2);
            // Before cancellations are checked: clients may leave during the wait.
            PetrichorException tooSlow = awaitCapacity(memory);
            List<Pending> wanted = wanted(group, results);
            if (!wanted.isEmpty() && tooSlow != null) {
                results.add(refused(wanted, tooSlow));
            } else if (!wanted.isEmpty()) {
                performOrBreak(wanted, memory, results);
            }
            return results;
        } finally {
            working.unlock();
        }
    }

    /** Whether these rows fill a step, so that it accepts no further commit. */
    boolean fillsStep(long rows, long bytes) {
        return commitPoint.fillsBatch(rows, bytes);
    }

    /**
     * Null if a step can be written. A step of unknown outcome must be recovered first, which also
     * releases its memory.
     */
    private @Nullable PetrichorException awaitCapacity(StepMemory memory) {
        if (!open()) {
            return null;
        }
        try {
            commitPoint.awaitCapacity(memory);
            return null;
        } catch (PetrichorException tooSlow) {
            return tooSlow;
        }
    }

    /**
     * The commits whose clients still wait. This is the last point at which a commit can be
     * cancelled: a planned commit is always finished.
     */
    private List<Pending> wanted(List<Pending> group, List<StepResult> results) {
        List<Pending> wanted = new ArrayList<>(group.size());
        for (Pending pending : group) {
            PetrichorException reason = pending.reasonToCancel();
            if (reason == null) {
                wanted.add(pending);
            } else {
                counters.refused();
                results.add(new StepResult.Refused(List.of(pending), reason));
            }
        }
        return wanted;
    }

    /** After any failure here, each commit has a result, and no step runs until recovery. */
    private void performOrBreak(List<Pending> group, StepMemory memory, List<StepResult> results) {
        try {
            recover();
            if (open()) {
                planAndWrite(group, memory, results);
            } else {
                results.add(refused(group, refusal()));
            }
        } catch (RuntimeException | Error unforeseen) {
            results.add(new StepResult.Unknown(group, breakOff(unforeseen)));
        }
    }

    private void planAndWrite(List<Pending> group, StepMemory memory, List<StepResult> results) {
        Sequencer.Plan plan;
        try {
            plan = plan(group);
        } catch (PetrichorException reason) {
            results.add(refused(group, reason));
            return;
        }
        PlannedGroup planned = PlannedGroup.of(group, plan, counters);
        if (!planned.rejected().isEmpty()) {
            results.add(new StepResult.Decided(planned.rejected()));
        }
        results.add(
                plan.rows().isEmpty()
                        ? new StepResult.Decided(planned.admitted())
                        : write(planned, memory));
    }

    private StepResult refused(List<Pending> group, PetrichorException reason) {
        group.forEach(_ -> counters.refused());
        return new StepResult.Refused(group, reason);
    }

    /** If planning fails, the commits admitted so far are withdrawn. */
    private Sequencer.Plan plan(List<Pending> group) {
        List<CommitIntent> intents = new ArrayList<>(group.size());
        for (Pending pending : group) {
            if (pending instanceof Pending.Commit commit) {
                intents.add(commit.intent());
            }
        }
        boolean withOwnRows = intents.size() < group.size();
        try {
            long now = time.epochMicros();
            Sequencer.Plan plan = sequencer.plan(intents, now, stored);
            // A step of internal rows alone also gets a version, by which recovery recognizes a
            // lost step.
            return withOwnRows && plan.rows().isEmpty()
                    ? new Sequencer.Plan(
                            plan.rows(), sequencer.nextVersion(now), plan.results(), plan.changes())
                    : plan;
        } catch (RuntimeException failed) {
            // Validation reads the store. Commits admitted before it failed were never written.
            sequencer.recovered(durableVersion);
            throw unavailable(failed);
        }
    }

    private StepResult write(PlannedGroup planned, StepMemory memory) {
        WriteBatch rows = planned.rows();
        long version = planned.version();
        versionCeiling = version;
        return switch (commit(rows, version, planned.changes(), memory)) {
            case DONE -> {
                durableVersion = version;
                cached.committed(rows, version);
                try {
                    readPoints.publish(version);
                } catch (RuntimeException failed) {
                    // Durable, but not visible: recovery opens a new view.
                    yield resolve(planned);
                }
                counters.committed(planned.commits());
                yield new StepResult.Decided(planned.admitted());
            }
            case FENCED -> {
                state = OwnerState.FENCED;
                yield new StepResult.Refused(planned.waiting(), refusal());
            }
            case UNKNOWN -> resolve(planned);
        };
    }

    private DurableStep.Outcome commit(
            WriteBatch rows, long version, StepChanges changes, StepMemory memory) {
        DurableStep.Outcome outcome;
        try {
            changeLog.record(rows, durableVersion, version, changes);
            outcome = commitPoint.commit(rows, version, memory);
        } catch (RuntimeException failed) {
            outcome = DurableStep.Outcome.UNKNOWN;
            lastFailure = unavailable(failed);
        }
        counters.synced();
        return outcome;
    }

    // ---- operations between steps

    /**
     * A read point above all commits but not above the clock. Later commits get higher versions,
     * even after a crash: that is made durable first, up to {@code now} for the next readers.
     */
    public ReadPoint pointBeyondNewest(long version, long now) {
        working.lock();
        try {
            requireOwned();
            if (version > durableVersion) {
                makePromiseDurable(Math.max(version, now));
            }
            sequencer.promise(durableVersion);
            versionCeiling = Math.max(versionCeiling, durableVersion);
            return readPoints.at(version);
        } finally {
            working.unlock();
        }
    }

    private void makePromiseDurable(long promised) {
        if (open()) {
            switch (commit(new WriteBatch(), promised, new StepChanges(), StepMemory.NONE)) {
                case DONE -> durableVersion = promised;
                case FENCED -> state = OwnerState.FENCED;
                case UNKNOWN -> becomeBroken();
            }
        }
        requireOpen();
    }

    /**
     * Serves the same version from a new view, so that a database that is only read does not force
     * the store to keep overwritten data.
     */
    public void refreshView() {
        betweenSteps(
                () -> {
                    // Not while the store may contain a step of unknown outcome.
                    if (open()) {
                        readPoints.publish(readPoints.newestVersion());
                    }
                });
    }

    public void forgetUpTo(long version) {
        betweenSteps(() -> sequencer.forgetUpTo(version));
    }

    private void betweenSteps(Runnable action) {
        working.lock();
        try {
            action.run();
        } finally {
            working.unlock();
        }
    }

    /** Moves the commit point to another store, unless that fails. Commits wait meanwhile. */
    public void relocate(Relocation relocation) {
        betweenSteps(() -> perform(relocation));
    }

    private void perform(Relocation relocation) {
        var _ = recover();
        requireOpen();
        long version = sequencer.nextVersion(time.epochMicros());
        switch (relocation.decide(durableVersion, version)) {
            case DONE -> arrive(version);
            case FENCED -> state = OwnerState.FENCED;
            case UNKNOWN -> becomeBroken();
        }
        var _ = recover();
        requireOpen();
    }

    /** No step is in doubt, so planning continues as it was, unless others have committed. */
    private void arrive(long version) {
        try {
            epoch = recovery.takeBackAt(version).epoch();
            durableVersion = version;
            versionCeiling = version;
            readPoints.publish(version);
        } catch (RuntimeException failed) {
            lastFailure = unavailable(failed);
            becomeBroken();
        }
    }

    @Override
    public void close() {
        betweenSteps(this::end);
    }

    private void end() {
        state = OwnerState.CLOSED;
        readPoints.close();
        sequencer.close();
        commitPoint.close();
    }

    // ---- failed steps

    /** After an unexpected failure, no step runs before recovery. */
    private PetrichorException breakOff(Throwable unforeseen) {
        PetrichorException reason = unavailable(unforeseen);
        lastFailure = reason;
        if (open()) {
            becomeBroken();
        }
        return reason;
    }

    private void becomeBroken() {
        state = OwnerState.BROKEN;
        recovery.begin();
    }

    /** Determines the outcome of a failed step by taking the database back. */
    private StepResult resolve(PlannedGroup lost) {
        long writtenUnder = epoch;
        becomeBroken();
        CommitPoint.LastCommit last = recover();
        if (last == null) {
            return new StepResult.Unknown(lost.waiting(), Objects.requireNonNull(lastFailure));
        }
        StepResult outcome = lost.outcome(writtenUnder, last, database);
        if (outcome instanceof StepResult.Decided) {
            counters.committed(lost.commits());
        }
        return outcome;
    }

    /**
     * Recovers from a failed step: takes the database back and continues after its last durable
     * step, which is returned. Null if the database could not be taken back.
     */
    private CommitPoint.@Nullable LastCommit recover() {
        if (state != OwnerState.BROKEN || !recovery.isDue()) {
            return null;
        }
        try {
            CommitPoint.Taken taken = recovery.takeBack();
            CommitPoint.LastCommit last = taken.last();
            epoch = taken.epoch();
            sequencer.recovered(last.version());
            takenVersion = last.version();
            durableVersion = Math.max(durableVersion, last.version());
            versionCeiling = Math.max(versionCeiling, durableVersion);
            cached.restart(durableVersion);
            readPoints.publish(durableVersion);
            state = OwnerState.OPEN;
            counters.recovered();
            return last;
        } catch (RuntimeException failed) {
            lastFailure = unavailable(failed);
            return null;
        }
    }

    private PetrichorException unavailable(Throwable cause) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                cause,
                "The store failed: {reason} Retry later.",
                "reason",
                cause.getMessage(),
                "database",
                database);
    }
}
