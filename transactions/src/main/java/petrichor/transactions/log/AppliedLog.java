package petrichor.transactions.log;

import java.util.ArrayList;
import java.util.List;

/**
 * Tracks how far a log has been applied to the rows: writes checkpoints, and removes the log slots
 * before them. Not thread-safe.
 */
final class AppliedLog {
    /**
     * A new owner reads the log from the checkpoint slot by slot: this bounds the time it takes.
     */
    private static final int SLOTS_PER_CHECKPOINT = 128;

    private final CommitLog log;
    private final LogCheckpoints checkpoints;

    private LogCheckpoint reached = LogCheckpoint.NONE;
    private boolean written = true;
    private final List<CommitLog.Slot> applied = new ArrayList<>();

    // Size of the batches since the checkpoint.
    private long appliedRows;
    private long appliedBytes;

    /** True after a takeover: if this owner fails soon, the next one need not repeat its work. */
    private boolean due;

    AppliedLog(CommitLog log, LogCheckpoints checkpoints) {
        this.log = log;
        this.checkpoints = checkpoints;
    }

    void startAt(LogTakeover.Taken taken) {
        reached = taken.checkpoint();
        applied.clear();
        applied.addAll(taken.applied());
        written = applied.isEmpty();
        due = !written;
        appliedRows = 0;
        appliedBytes = 0;
    }

    /** Version of the last applied step. */
    long version() {
        return reached.last().version();
    }

    /** Whether the checkpoint is up to date. */
    boolean written() {
        return written;
    }

    void reach(CommitLog.Slot slot, LogRecord.Batch batch) {
        applied.add(slot);
        appliedRows += batch.rows().ops().size();
        appliedBytes += batch.rows().bytes();
        reached =
                new LogCheckpoint(
                        slot.at().next(),
                        new CommitPoint.LastCommit(batch.epoch(), batch.version()));
        written = false;
    }

    /** Writes the checkpoint after each piece: a new owner repeats only later work. */
    void writeIfDue(ApplyPace pace) {
        if (due
                || applied.size() >= SLOTS_PER_CHECKPOINT
                || pace.fillsPiece(appliedRows, appliedBytes)) {
            write();
        }
    }

    /**
     * Writes the checkpoint first and then removes slots: a removed slot precedes every remaining
     * one.
     */
    void write() {
        if (!written) {
            checkpoints.write(reached);
            written = true;
        }
        if (!applied.isEmpty()) {
            log.remove(applied, reached);
            applied.clear();
        }
        appliedRows = 0;
        appliedBytes = 0;
        due = false;
    }
}
