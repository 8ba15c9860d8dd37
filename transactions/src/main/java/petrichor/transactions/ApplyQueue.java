package petrichor.transactions;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.transactions.CommitPoint.LastCommit;

/**
 * Brings what one owner has committed into the rows, in the order of the log, after the commit was
 * acknowledged. Until the store shows a step, {@link RecentRows} does. Notes now and then how far
 * it is, and then removes the log before that note.
 *
 * <p>Threads: commits come from the holder of the sequencer; one task at a time applies, in the
 * {@link Background}, while there is something to apply. A store that fails is tried again with
 * growing pauses, for as long as the database is open; what waits is bounded by {@link #awaitRoom}.
 */
final class ApplyQueue {
    private static final System.Logger LOG = System.getLogger(ApplyQueue.class.getName());

    /** Most that goes to the store at once, in bytes; a lone step may be larger. */
    private static final long PIECE_BYTES_MAX = 4L << 20;

    /** A new owner reads the log from the last note on, slot by slot: this bounds how long. */
    private static final int STEPS_PER_HINT = 128;

    /** The note is brought up to date when nothing was committed for so long. */
    private static final Duration IDLE_BEFORE_HINT = Duration.ofSeconds(1);

    /**
     * What was committed within so long is applied together: fewer requests to the store, which
     * would keep commits waiting. Who waits for it does not wait so long.
     */
    private static final Duration GATHERING = Duration.ofMillis(20);

    private static final long GATHERED_BYTES_MAX = 1L << 20;

    private static final Duration PAUSE_MIN = Duration.ofMillis(20);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(2);

    private record Step(CommitLog.Slot slot, LogRecord.Batch batch) {
        long bytes() {
            return batch.rows().bytes();
        }
    }

    private final CommitLog log;
    private final LogCheckpoints hints;
    private final RowApplication rows;
    private final RecentRows recentRows;
    private final RecentHistory recentHistory;
    private final Background background;
    private final TransactionLimits limits;

    /** Guards what waits. */
    private final Object waiting = new Object();

    private final Deque<Step> steps = new ArrayDeque<>();
    private long bytes;
    private boolean working;

    /** True while a delayed apply is scheduled. */
    private boolean gathering;

    /** Number of threads blocked on back-pressure. */
    private int awaiting;

    private boolean closed;

    /** One at a time applies; guards the note and what may be removed. */
    private final ReentrantLock applying = new ReentrantLock();

    private LogCheckpoint reached = LogCheckpoint.NONE;
    private boolean noted = true;
    private final List<CommitLog.Slot> applied = new ArrayList<>();
    private Duration pause = PAUSE_MIN;
    private volatile long appliedVersion;
    private volatile boolean closing;

    /** Why the last attempt to apply failed; null if it did not. */
    private volatile @Nullable RuntimeException failure;

    ApplyQueue(
            CommitLog log,
            LogCheckpoints hints,
            RowApplication rows,
            RecentRows recentRows,
            RecentHistory recentHistory,
            Background background,
            TransactionLimits limits) {
        this.log = log;
        this.hints = hints;
        this.rows = rows;
        this.recentRows = recentRows;
        this.recentHistory = recentHistory;
        this.background = background;
        this.limits = limits;
    }

    /** Everything is in the rows, also what waited here. */
    void startAt(LogTakeover.Taken taken) {
        applying.lock();
        try {
            recentRows.clear();
            reached = taken.checkpoint();
            noted = taken.applied().isEmpty();
            applied.clear();
            applied.addAll(taken.applied());
            appliedVersion = reached.last().version();
            recentHistory.startAt(appliedVersion);
            synchronized (waiting) {
                steps.clear();
                bytes = 0;
                waiting.notifyAll();
            }
        } finally {
            applying.unlock();
        }
        if (!taken.applied().isEmpty()) {
            background.runLater(this::noteIfIdle, IDLE_BEFORE_HINT);
        }
    }

    /** UNAVAILABLE if there is none in time; nothing is lost by that. */
    void awaitRoom() {
        await(() -> bytes < limits.unappliedBytesMax());
    }

    void awaitApplied(long version) {
        await(() -> appliedVersion >= version);
    }

    private void await(BooleanSupplier done) {
        long end = System.nanoTime() + limits.applyWait().toNanos();
        synchronized (waiting) {
            if (done.getAsBoolean()) {
                return;
            }
            awaiting++;
            try {
                gatherNoLonger();
                awaitUntil(done, end);
            } finally {
                awaiting--;
            }
        }
    }

    private void awaitUntil(BooleanSupplier done, long end) {
        synchronized (waiting) {
            while (!done.getAsBoolean()) {
                long millis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (closed || millis <= 0) {
                    throw new PetrichorException(
                            ErrorCode.UNAVAILABLE,
                            "The store is too slow or unreachable: committed rows are in its log"
                                    + " and not applied yet."
                                    + (failure == null ? "" : " " + failure.getMessage())
                                    + " Retry later.",
                            Map.of("bytes", bytes, "bytesMax", limits.unappliedBytesMax()),
                            failure);
                }
                try {
                    waiting.wait(millis);
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    throw new PetrichorException(
                            ErrorCode.UNAVAILABLE, "The server is shutting down; retry.");
                }
            }
        }
    }

    /** A step that has just become durable. */
    void add(CommitLog.Slot slot, LogRecord.Batch batch) {
        recentHistory.add(batch.rows(), batch.version());
        recentRows.add(batch.rows(), batch.version());
        synchronized (waiting) {
            steps.add(new Step(slot, batch));
            bytes += batch.rows().bytes();
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
        background.runLater(this::workOnGathered, GATHERING);
    }

    private void gatherNoLonger() {
        if (gathering) {
            gathering = false;
            background.run(this::work);
        }
    }

    /** There is much to apply, or a thread waits for it. */
    private boolean urgent() {
        synchronized (waiting) {
            return !closed && !steps.isEmpty() && (awaiting > 0 || bytes >= GATHERED_BYTES_MAX);
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
        Duration again = IDLE_BEFORE_HINT;
        boolean toNote = true;
        applying.lock();
        try {
            do {
                applySome();
                noteIfDue();
            } while (!closing && urgent());
            pause = PAUSE_MIN;
            failure = null;
            toNote = !noted;
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
        rest(again, toNote);
    }

    /** Comes back for what was added meanwhile, or that failed, or to note how far it is. */
    private void rest(Duration again, boolean toNote) {
        boolean more;
        synchronized (waiting) {
            if (closed) {
                working = false;
                return;
            }
            more = !steps.isEmpty();
            working = more;
            if (more && again.equals(IDLE_BEFORE_HINT)) {
                gather();
                if (urgent()) {
                    gatherNoLonger();
                }
                return;
            }
        }
        if (more) {
            background.runLater(this::work, again);
        } else if (toNote) {
            background.runLater(this::noteIfIdle, again);
        }
    }

    /** False if nothing waits. */
    private boolean applySome() {
        List<Step> some = first();
        if (some.isEmpty()) {
            return false;
        }
        rows.apply(some.stream().map(Step::batch).toList());
        for (Step step : some) {
            LogRecord.Batch batch = step.batch;
            recentRows.remove(batch.rows(), batch.version());
            applied.add(step.slot);
            reached =
                    new LogCheckpoint(
                            step.slot.at().next(), new LastCommit(batch.epoch(), batch.version()));
        }
        noted = false;
        appliedVersion = reached.last().version();
        recentHistory.trim(appliedVersion);
        synchronized (waiting) {
            for (Step step : some) {
                steps.removeFirst();
                bytes -= step.bytes();
            }
            waiting.notifyAll();
        }
        return true;
    }

    private List<Step> first() {
        List<Step> some = new ArrayList<>();
        long sum = 0;
        synchronized (waiting) {
            for (Step step : steps) {
                sum += step.bytes();
                if (closed || (!some.isEmpty() && sum > PIECE_BYTES_MAX)) {
                    break;
                }
                some.add(step);
            }
        }
        return some;
    }

    private void noteIfDue() {
        if (applied.size() >= STEPS_PER_HINT) {
            note();
        }
    }

    private void noteIfIdle() {
        boolean idle;
        synchronized (waiting) {
            idle = !working && !closed;
        }
        // Otherwise the running worker returns here.
        if (idle && applying.tryLock()) {
            try {
                if (!closed()) {
                    note();
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

    /** First the note, then the removal: a slot that is gone is before every later note. */
    private void note() {
        if (!noted) {
            hints.write(reached);
            noted = true;
        }
        if (!applied.isEmpty()) {
            log.remove(applied, reached);
            applied.clear();
        }
    }

    /**
     * Applies and notes what it can, once, and for no longer than a commit would wait for that: the
     * next owner applies the rest.
     */
    void close() {
        synchronized (waiting) {
            if (closed) {
                return;
            }
        }
        closing = true;
        long end = System.nanoTime() + limits.applyWait().toNanos();
        applying.lock();
        try {
            while (System.nanoTime() - end < 0 && applySome()) {}
            note();
        } catch (RuntimeException failed) {
            failure = failed;
            LOG.log(
                    Level.DEBUG,
                    "the log was not applied completely; the next owner does it",
                    failed);
        } finally {
            synchronized (waiting) {
                closed = true;
                waiting.notifyAll();
            }
            applying.unlock();
        }
    }
}
