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

    /** Bytes of the batches since the checkpoint. */
    private long appliedBytes;

    AppliedLog(CommitLog log, LogCheckpoints checkpoints) {
        this.log = log;
        this.checkpoints = checkpoints;
    }

    void startAt(LogTakeover.Taken taken) {
        reached = taken.checkpoint();
        applied.clear();
        applied.addAll(taken.applied());
        written = applied.isEmpty();
        // Should this owner fail soon, the next one need not do the same again.
        appliedBytes = written ? 0 : Long.MAX_VALUE / 2;
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
        appliedBytes += batch.rows().bytes();
        reached =
                new LogCheckpoint(
                        slot.at().next(),
                        new CommitPoint.LastCommit(batch.epoch(), batch.version()));
        written = false;
    }

    /**
     * @param bytes of commits between two checkpoints: the next owner applies them again
     */
    void writeIfDue(long bytes) {
        if (applied.size() >= SLOTS_PER_CHECKPOINT || appliedBytes >= bytes) {
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
        appliedBytes = 0;
    }
}
