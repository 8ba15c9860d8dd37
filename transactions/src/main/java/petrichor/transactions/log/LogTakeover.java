package petrichor.transactions.log;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.transactions.log.CommitPoint.LastCommit;
import petrichor.transactions.rows.LogPosition;

/**
 * One attempt to become the owner of a log: walk it from its checkpoint to its first free slot,
 * apply the records, and write a seal into that slot. The former owner's next append needs exactly
 * that slot and finds it taken; that is the whole fence, without any clock.
 *
 * <p>A walker can be so slow that what it looks for was applied and removed in the meantime: then
 * the free slot it sealed was not the log's end, or batches were gone before it saw them. Nothing
 * is removed before a checkpoint past it is durable. So the checkpoint is read again after the
 * seal; if it has changed, the walk restarts from there. The former owner can commit nothing after
 * our seal, so this ends soon.
 *
 * <p>A seal stays where it is, also one in the wrong place. A removed slot is never read again, and
 * before the first slot of a later epoch it costs that epoch's owner one more seal; but removing a
 * seal on which another process may have relied would be wrong.
 *
 * <p>Belongs to one thread. Passes on failures of the store; then the former owner may or may not
 * be fenced.
 */
final class LogTakeover {
    /**
     * The log is ours from here on.
     *
     * @param checkpoint how far it is applied: up to our first slot
     * @param applied what lies before that and may be removed
     */
    record Taken(LogCheckpoint checkpoint, List<CommitLog.Slot> applied) {}

    /** The most that is read before it is applied, in bytes. */
    private static final long PIECE_BYTES_MAX = 4L << 20;

    /** Attempts, each lost to another process; so many in a row do not occur in practice. */
    private static final int WALKS_MAX = 100;

    /**
     * Attempts of one walk to seal a slot. Two that walk at the same time may seal each other's
     * epochs in turn; one of them has to give up.
     */
    private static final int SEALS_MAX = 1_000;

    private final CommitLog log;
    private final LogCheckpoints hints;
    private final RowApplication rows;
    private final long nonce;

    private final List<CommitLog.Slot> walked = new ArrayList<>();
    private final List<LogRecord.Batch> unapplied = new ArrayList<>();
    private long unappliedBytes;

    /**
     * @param nonce of this attempt, different from all others
     */
    LogTakeover(CommitLog log, LogCheckpoints hints, RowApplication rows, long nonce) {
        this.log = log;
        this.hints = hints;
        this.rows = rows;
        this.nonce = nonce;
    }

    Taken take() {
        LogCheckpoint from = hints.read();
        for (int walks = 0; walks < WALKS_MAX; walks++) {
            LogCheckpoint end = walk(from);
            LogCheckpoint now = hints.read();
            if (end != null && now.equals(from)) {
                log.begin(end.next().epoch());
                return new Taken(end, List.copyOf(walked));
            }
            from = now;
        }
        throw othersAreFaster("walks", WALKS_MAX);
    }

    private static PetrichorException othersAreFaster(String attempts, int max) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "The commit log could not be taken over: other servers kept doing so at the same"
                        + " time. Retry.",
                attempts,
                max);
    }

    /** To the first free slot after a seal of our own; null if the way has been removed. */
    private @Nullable LogCheckpoint walk(LogCheckpoint from) {
        walked.clear();
        unapplied.clear();
        unappliedBytes = 0;
        LogPosition at = from.next();
        LastCommit last = from.last();
        boolean ours = false;
        int seals = 0;
        while (true) {
            CommitLog.Entry entry = log.read(at);
            if (entry == null && ours) {
                return apply(from) ? new LogCheckpoint(at, last) : null;
            }
            if (entry == null) {
                if (++seals > SEALS_MAX) {
                    throw othersAreFaster("seals", SEALS_MAX);
                }
                LogRecord.Seal seal = new LogRecord.Seal(at.epoch() + 1, nonce);
                switch (log.seal(at, seal, () -> hints.read().equals(from))) {
                    case SEALED -> {
                        ours = true;
                        at = LogPosition.firstOf(seal.nextEpoch());
                    }
                    case LOOK_AGAIN -> {}
                    case REMOVED -> {
                        return null;
                    }
                }
                continue;
            }
            switch (entry.record()) {
                case LogRecord.Seal(long nextEpoch, long sealer) -> {
                    ours = sealer == nonce;
                    at = LogPosition.firstOf(nextEpoch);
                }
                case LogRecord.Batch batch -> {
                    ours = false;
                    walked.add(entry.slot());
                    last = new LastCommit(batch.epoch(), batch.version());
                    at = at.next();
                    keep(batch);
                    if (unappliedBytes >= PIECE_BYTES_MAX && !apply(from)) {
                        return null;
                    }
                }
            }
        }
    }

    private void keep(LogRecord.Batch batch) {
        unapplied.add(batch);
        unappliedBytes += batch.rows().bytes();
    }

    /**
     * Puts into the rows what was read, as of its last version: so no batch between may be missing,
     * or its rows would get older values as if they were newer. Nothing was removed as long as the
     * note is the same. False if it is another one.
     */
    private boolean apply(LogCheckpoint from) {
        boolean whole = unapplied.isEmpty() || hints.read().equals(from);
        if (whole && !unapplied.isEmpty()) {
            rows.apply(unapplied);
        }
        unapplied.clear();
        unappliedBytes = 0;
        return whole;
    }
}
