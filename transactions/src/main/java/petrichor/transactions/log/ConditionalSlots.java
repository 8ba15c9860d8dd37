package petrichor.transactions.log;

import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;
import petrichor.transactions.rows.LogPosition;
import petrichor.transactions.rows.TableLayout;

/**
 * Writes each slot, with a record or a seal, only if it does not exist: a seal in the next slot of
 * an owner blocks that owner, which is the whole fence.
 */
record ConditionalSlots(KeyValueStore store, LogStore log, TableLayout layout) implements LogSlots {
    @Override
    public void begin(long epoch) {}

    @Override
    public void putPart(byte[] key, byte[] piece, long version) {
        store.write(new WriteBatch().put(CommitLog.TABLE, key, piece));
    }

    /**
     * A store that retries and finds its own first attempt answers FENCED, so the slot is read
     * again.
     */
    @Override
    public DurableStep.Outcome append(LogPosition at, byte[] row, long version) {
        byte[] key = layout.logKey(at);
        DurableStep.Outcome outcome = log.putIfAbsent(CommitLog.TABLE, key, row);
        return outcome == DurableStep.Outcome.FENCED
                        && Arrays.equals(row, log.read(CommitLog.TABLE, key))
                ? DurableStep.Outcome.DONE
                : outcome;
    }

    @Override
    public byte @Nullable [] read(LogPosition at) {
        return log.read(CommitLog.TABLE, layout.logKey(at));
    }

    /** Sealing a removed slot is harmless, and is detected afterwards. */
    @Override
    public Sealing seal(LogPosition at, LogRecord.Seal seal, BooleanSupplier nothingRemoved) {
        return switch (append(at, LogCodec.encode(seal), 0)) {
            case DONE -> Sealing.SEALED;
            case FENCED -> Sealing.READ_AGAIN;
            case UNKNOWN -> throw unanswered(at);
        };
    }

    static PetrichorException unanswered(LogPosition at) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "The outcome of the takeover of the commit log is unknown; retry.",
                "epoch",
                at.epoch(),
                "slot",
                at.slot());
    }

    /** A slot is removed before its parts, so that no reader finds a slot with missing parts. */
    @Override
    public void remove(List<LogPosition> slots, List<byte[]> parts, LogCheckpoint reached) {
        delete(slots.stream().map(layout::logKey).toList());
        delete(parts);
    }

    private void delete(List<byte[]> keys) {
        WriteBatch rows = new WriteBatch();
        keys.forEach(key -> rows.delete(CommitLog.TABLE, key));
        if (!rows.isEmpty()) {
            store.write(rows);
        }
    }
}
