package petrichor.transactions.log;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.transactions.log.CommitPoint.LastCommit;
import petrichor.transactions.rows.LogPosition;

/**
 * One attempt to become the owner of a log: reads it from its checkpoint to its first free slot,
 * applies the records, and writes a seal into that slot. The former owner's next append needs
 * exactly that slot and finds it taken; that is the whole fence, without any clock.
 *
 * <p>A process can read so slowly that other processes apply and remove slots in the meantime: then
 * the free slot that it sealed was not the end of the log, or batches were removed before it read
 * them. Nothing is removed before a checkpoint past it is durable. So the checkpoint is read again
 * after the seal; if it has changed, the walk restarts from there. The former owner can commit
 * nothing after the seal, so this ends soon.
 *
 * <p>Seals are never removed, not even those in the wrong slot. A removed slot is never read again,
 * and a seal before the first slot of a later epoch costs that epoch's owner one more seal; but
 * removing a seal on which another process may have relied would be wrong.
 *
 * <p>Confined to one thread. Propagates failures of the store; then the former owner may or may not
 * be fenced.
 */
final class LogTakeover {
    /**
     * A successful takeover.
     *
     * @param checkpoint how far the log is applied: up to the first slot of this owner
     * @param applied earlier slots that may be removed
     */
    record Taken(LogCheckpoint checkpoint, List<CommitLog.Slot> applied) {}

    /** Most bytes that are read before they are applied. */
    private static final long PIECE_BYTES_MAX = 4L << 20;

    /** Attempts, each lost to another process; this many in a row do not occur in practice. */
    private static final int WALKS_MAX = 100;

    /**
     * Attempts of one walk to seal a slot. Two concurrent walks may seal each other's epochs in
     * turn; one of them has to give up.
     */
    private static final int SEALS_MAX = 1_000;

    private final CommitLog log;
    private final LogCheckpoints hints;
    private final LogApplication rows;
    private final long nonce;

    private final List<CommitLog.Slot> walked = new ArrayList<>();
    private final List<LogRecord.Batch> unapplied = new ArrayList<>();
    private long unappliedBytes;

    /**
     * @param nonce unique to this attempt
     */
    LogTakeover(CommitLog log, LogCheckpoints hints, LogApplication rows, long nonce) {
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

    /**
     * Walks to the first free slot after a seal of this attempt; null if slots on the way were
     * removed.
     */
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
                    case READ_AGAIN -> {}
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
     * Applies the records that were read, at their last version: no batch in between may be
     * missing, or its rows would get older values at a newer version. An unchanged checkpoint means
     * that nothing was removed. False if it has changed.
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
