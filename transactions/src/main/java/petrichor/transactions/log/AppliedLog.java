package petrichor.transactions.log;

import java.util.ArrayList;
import java.util.List;

/**
 * How far a log is in its rows: writes the checkpoint now and then, and removes the slots before
 * it. Belongs to one thread at a time.
 */
final class AppliedLog {
    /** A new owner reads the log from the checkpoint on, slot by slot: this bounds how long. */
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

    /** Version of the last step in the rows. */
    long version() {
        return reached.last().version();
    }

    /** The checkpoint is as far as the rows. */
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

    /** Writes the checkpoint after each piece: the next owner repeats what follows it. */
    void writeIfDue(ApplyPace pace) {
        if (due
                || applied.size() >= SLOTS_PER_CHECKPOINT
                || pace.fillsPiece(appliedRows, appliedBytes)) {
            write();
        }
    }

    /** First the checkpoint, then the removal: a slot that is gone is before every later one. */
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
