package petrichor.transactions.log;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.rows.RecentHistory;
import petrichor.transactions.rows.RecentRows;
import petrichor.transactions.scheduling.Scheduler;
import petrichor.transactions.scheduling.TimedWaits;

/**
 * Applies the commits of one owner to the rows, in log order, after they were acknowledged. {@link
 * RecentRows} serves a step until the store shows it. Writes checkpoints ({@link AppliedLog}).
 *
 * <p>Threads: commits come from the thread that runs the sequencer; one task at a time applies
 * them, in the {@link Scheduler}, while the queue is not empty. A failing store is retried with
 * exponential backoff while the database is open; {@link #awaitCapacity} bounds the backlog, based
 * on {@link ApplyPace}.
 */
final class ApplyQueue {
    private static final System.Logger LOG = System.getLogger(ApplyQueue.class.getName());

    /** The checkpoint is updated when nothing was committed for this long. */
    private static final Duration IDLE_BEFORE_CHECKPOINT = Duration.ofSeconds(1);

    /**
     * Commits within this time are applied together: fewer requests to the store, which would delay
     * commits. A thread that waits for the result ends the delay.
     */
    private static final Duration GATHERING = Duration.ofMillis(20);

    private static final long GATHERED_BYTES_MAX = 1L << 20;

    private static final Duration PAUSE_MIN = Duration.ofMillis(20);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(2);

    private record Step(CommitLog.Slot slot, LogRecord.Batch batch, StepMemory.Held memory) {
        int rows() {
            return batch.rows().ops().size();
        }

        long bytes() {
            return batch.rows().bytes();
        }
    }

    private final AppliedLog appliedLog;
    private final LogApplication rows;
    private final RecentRows recentRows;
    private final RecentHistory recentHistory;
    private final Scheduler scheduler;
    private final TransactionLimits limits;
    private final UnappliedMemory memory;
    private final TimeSource time;
    private final TimedWaits waits;
    private final ApplyPace pace;

    /** Guards the queue. */
    private final Object waiting = new Object();

    private final Deque<Step> steps = new ArrayDeque<>();
    private boolean working;

    /** True while a delayed apply is scheduled. */
    private boolean gathering;

    private boolean closed;

    /** Only one thread applies at a time; guards the checkpoint. */
    private final ReentrantLock applying = new ReentrantLock();

    private Duration pause = PAUSE_MIN;
    private volatile long waitingRows;
    private volatile long bytes;
    private volatile long appliedVersion;
    private volatile boolean closing;

    /** The failure of the last attempt to apply; null if it succeeded. */
    private volatile @Nullable RuntimeException failure;

    ApplyQueue(
            AppliedLog appliedLog,
            LogApplication rows,
            RecentRows recentRows,
            RecentHistory recentHistory,
            Scheduler scheduler,
            TransactionLimits limits,
            UnappliedMemory memory,
            TimeSource time) {
        this.appliedLog = appliedLog;
        this.rows = rows;
        this.recentRows = recentRows;
        this.recentHistory = recentHistory;
        this.scheduler = scheduler;
        this.limits = limits;
        this.memory = memory;
        this.time = time;
        this.pace = new ApplyPace();
        this.waits = new TimedWaits(limits.applyWait(), this::tooSlow, time, scheduler);
    }

    /**
     * Starts after a takeover, when all rows are applied, including those that were queued here.
     */
    void startAt(LogTakeover.Taken taken) {
        List<Step> former;
        applying.lock();
        try {
            recentRows.clear();
            appliedLog.startAt(taken);
            appliedVersion = appliedLog.version();
            recentHistory.startAt(appliedVersion);
            failure = null;
            synchronized (waiting) {
                former = List.copyOf(steps);
                steps.clear();
                waitingRows = 0;
                bytes = 0;
            }
        } finally {
            applying.unlock();
        }
        returnMemory(former);
        waits.check();
        if (!taken.applied().isEmpty()) {
            scheduler.runLater(this::writeCheckpointIfIdle, IDLE_BEFORE_CHECKPOINT);
        }
    }

    /**
     * Back-pressure: waits until the backlog is small enough. UNAVAILABLE if the store applies
     * nothing for {@link TransactionLimits#applyWait}; no commit is lost then. A store that is only
     * slow makes commits slow.
     */
    void awaitCapacity(StepMemory step) {
        if (admits(step)) {
            return;
        }
        try (UnappliedMemory.Wait _ = memory.awaitMemory(waits::check)) {
            while (!admits(step)) {
                long before = appliedVersion;
                try {
                    waits.await(() -> admits(step), this::gatherNoLonger);
                } catch (PetrichorException late) {
                    if (appliedVersion == before) {
                        throw late;
                    }
                }
            }
        }
    }

    /** Takes memory for the step if it may be written. */
    private boolean admits(StepMemory step) {
        boolean first = bytes == 0;
        boolean inTime =
                bytes < limits.unappliedBytesMax()
                        && pace.expectedTime(waitingRows, bytes).compareTo(limits.applyWait()) < 0;
        return (first || inTime) && (memory.take(step) || first);
    }

    /** Whether these rows fill a piece, which is applied immediately. */
    boolean fillsPiece(long rows, long bytes) {
        return pace.fillsPiece(rows, bytes);
    }

    void awaitApplied(long version) {
        if (appliedVersion < version) {
            waits.await(() -> appliedVersion >= version, this::gatherNoLonger);
        }
    }

    private PetrichorException tooSlow() {
        RuntimeException cause = failure;
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                cause,
                "The store is too slow or unreachable: committed rows are in its log and not"
                        + " applied yet.{reason} Retry later.",
                "reason",
                cause == null ? "" : " " + cause.getMessage(),
                "rows",
                waitingRows,
                "bytes",
                bytes);
    }

    /** Adds a step that has just become durable, and keeps its memory. */
    void add(CommitLog.Slot slot, LogRecord.Batch batch, StepMemory ofStep) {
        recentHistory.add(batch.rows(), batch.version());
        recentRows.add(batch.rows(), batch.version());
        synchronized (waiting) {
            Step step = new Step(slot, batch, ofStep.keep());
            steps.add(step);
            waitingRows += step.rows();
            bytes += step.bytes();
            if (!working && !closed) {
                working = true;
                gather();
            }
            if (urgent()) {
                gatherNoLonger();
            }
        }
    }

    private void gather() {
        gathering = true;
        scheduler.runLater(this::workOnGathered, GATHERING);
    }

    private void gatherNoLonger() {
        synchronized (waiting) {
            if (gathering) {
                gathering = false;
                scheduler.run(this::work);
            }
        }
    }

    /** Whether much work is queued, or a thread waits for it. */
    private boolean urgent() {
        synchronized (waiting) {
            return !closed && !steps.isEmpty() && (bytes >= GATHERED_BYTES_MAX || !waits.isEmpty());
        }
    }

    private void workOnGathered() {
        synchronized (waiting) {
            if (!gathering) {
                return;
            }
            gathering = false;
        }
        work();
    }

    private void work() {
        Duration again = IDLE_BEFORE_CHECKPOINT;
        boolean behind = true;
        applying.lock();
        try {
            do {
                applySome();
                appliedLog.writeIfDue(pace);
            } while (!closing && urgent());
            pause = PAUSE_MIN;
            failure = null;
            behind = !appliedLog.written();
        } catch (RuntimeException failed) {
            failure = failed;
            again = pause;
            pause =
                    pause.multipliedBy(2).compareTo(PAUSE_MAX) < 0
                            ? pause.multipliedBy(2)
                            : PAUSE_MAX;
            LOG.log(Level.DEBUG, "applying the commit log failed; retrying", failed);
        } finally {
            applying.unlock();
        }
        rest(again, behind);
    }

    /**
     * Schedules the next run: for steps added in the meantime, for a retry, or to write the
     * checkpoint.
     */
    private void rest(Duration again, boolean behind) {
        boolean more;
        synchronized (waiting) {
            if (closed) {
                working = false;
                return;
            }
            more = !steps.isEmpty();
            working = more;
            if (more && again.equals(IDLE_BEFORE_CHECKPOINT)) {
                gather();
                if (urgent()) {
                    gatherNoLonger();
                }
                return;
            }
        }
        if (more) {
            scheduler.runLater(this::work, again);
        } else if (behind) {
            scheduler.runLater(this::writeCheckpointIfIdle, again);
        }
    }

    /** False if the queue is empty. */
    private boolean applySome() {
        List<Step> some = first();
        if (some.isEmpty()) {
            return false;
        }
        long started = time.monotonicNanos();
        rows.apply(some.stream().map(Step::batch).toList());
        pace.applied(
                some.stream().mapToLong(Step::rows).sum(),
                some.stream().mapToLong(Step::bytes).sum(),
                time.monotonicNanos() - started);
        for (Step step : some) {
            recentRows.remove(step.batch.rows(), step.batch.version());
            appliedLog.reach(step.slot, step.batch);
        }
        appliedVersion = appliedLog.version();
        recentHistory.trim(appliedVersion);
        synchronized (waiting) {
            for (Step step : some) {
                steps.removeFirst();
                waitingRows -= step.rows();
                bytes -= step.bytes();
            }
        }
        returnMemory(some);
        waits.check();
        return true;
    }

    private void returnMemory(List<Step> some) {
        some.forEach(step -> memory.release(step.memory));
    }

    private List<Step> first() {
        List<Step> some = new ArrayList<>();
        long pieceRows = 0;
        long pieceBytes = 0;
        synchronized (waiting) {
            for (Step step : steps) {
                pieceRows += step.rows();
                pieceBytes += step.bytes();
                if (closed || (!some.isEmpty() && pace.fillsPiece(pieceRows, pieceBytes))) {
                    break;
                }
                some.add(step);
            }
        }
        return some;
    }

    /**
     * Runs work while no step is being applied: all stores are then as of the same version, which
     * the work receives. UNAVAILABLE if the last steps may be applied in some of the stores only.
     */
    <T> T betweenPieces(LongFunction<T> work) {
        applying.lock();
        try {
            RuntimeException partly = failure;
            if (partly != null) {
                throw tooSlow();
            }
            return work.apply(appliedVersion);
        } finally {
            applying.unlock();
        }
    }

    private void writeCheckpointIfIdle() {
        boolean idle;
        synchronized (waiting) {
            idle = !working && !closed;
        }
        // Otherwise the running worker returns here.
        if (idle && applying.tryLock()) {
            try {
                if (!closed()) {
                    appliedLog.write();
                }
            } catch (RuntimeException failed) {
                LOG.log(Level.DEBUG, "writing the checkpoint of the log failed", failed);
            } finally {
                applying.unlock();
            }
        }
    }

    private boolean closed() {
        synchronized (waiting) {
            return closed;
        }
    }

    /**
     * Applies what it can, once, within the time that a commit would wait for it: the next owner
     * applies the rest.
     */
    void close() {
        synchronized (waiting) {
            if (closed) {
                return;
            }
        }
        closing = true;
        long end = time.monotonicNanos() + limits.applyWait().toNanos();
        applying.lock();
        try {
            while (time.monotonicNanos() - end < 0 && applySome()) {}
            appliedLog.write();
        } catch (RuntimeException failed) {
            failure = failed;
            LOG.log(
                    Level.DEBUG,
                    "the log was not applied completely; the next owner does it",
                    failed);
        } finally {
            List<Step> left;
            synchronized (waiting) {
                closed = true;
                left = List.copyOf(steps);
            }
            applying.unlock();
            waits.close();
            returnMemory(left);
        }
    }
}
