package petrichor.transactions.log;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.transactions.rows.LogPosition;
import petrichor.transactions.rows.RowLayout;

/**
 * Fills and closes the slots of one database's log, in the cheapest way for its store. An owner
 * fills the slots of its epoch one after the other; a process that takes the database over ends
 * that epoch with a seal, permanently. Safe for any thread.
 */
interface LogSlots {
    /** What came of an attempt to end an epoch. */
    enum Sealing {
        /** The seal is in the slot. */
        SEALED,
        /** Another process was first, or the slots before the seal must be read first. */
        LOOK_AGAIN,
        /** The slot was used, and emptied after it was applied: the way begins elsewhere. */
        REMOVED
    }

    /** In the form that the store's durable step allows. */
    static LogSlots of(KeyValueStore store, LogStore log, RowLayout layout) {
        return store.durableStep() instanceof DurableStep.PlainAppend step
                ? new GatedSlots(store, step, layout)
                : new ConditionalSlots(store, log, layout);
    }

    /** The slots of this epoch are ours, from the first one on. */
    void begin(long epoch);

    /** Puts a piece of a record beside its slot, before the slot is filled. */
    void putPart(byte[] key, byte[] piece, long version);

    /**
     * Fills the next slot of our epoch. FENCED if the row is not in the log and never will be.
     *
     * @param version higher than that of all rows before
     */
    DurableStep.Outcome append(LogPosition at, byte[] row, long version);

    /** The record in a slot, or the seal before which its epoch ended; null if there is none. */
    byte @Nullable [] read(LogPosition at);

    /**
     * Ends the epoch of a slot that was read as free.
     *
     * @param nothingRemoved nothing was removed from the log between the begin of the walk to this
     *     slot and the moment when this is asked
     */
    Sealing seal(LogPosition at, LogRecord.Seal seal, BooleanSupplier nothingRemoved);

    /**
     * Removes what was applied; never a seal.
     *
     * @param parts keys of the parts of the slots
     * @param reached all slots are before it
     */
    void remove(List<LogPosition> slots, List<byte[]> parts, LogCheckpoint reached);
}
