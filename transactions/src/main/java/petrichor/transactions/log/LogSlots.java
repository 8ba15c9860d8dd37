package petrichor.transactions.log;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.transactions.rows.LogPosition;
import petrichor.transactions.rows.TableLayout;

/**
 * Fills and seals the slots of one database's log, in the cheapest way that its store supports. An
 * owner fills the slots of its epoch in order; a process that takes the database over ends that
 * epoch permanently with a seal. Thread-safe.
 */
interface LogSlots {
    /** Outcome of an attempt to end an epoch. */
    enum Sealing {
        /** The seal is in the slot. */
        SEALED,
        /** Another process was faster, or the slots before the seal must be read first. */
        READ_AGAIN,
        /** The slot was used, applied and removed: the walk must restart elsewhere. */
        REMOVED
    }

    /** The implementation for the store's kind of durable step. */
    static LogSlots of(KeyValueStore store, LogStore log, TableLayout layout) {
        return store.durableStep() instanceof DurableStep.PlainAppend step
                ? new GatedSlots(store, step, layout)
                : new ConditionalSlots(store, log, layout);
    }

    /** Starts an epoch whose slots belong to this owner, from the first one. */
    void begin(long epoch);

    /** Writes a part of a record next to its slot, before the slot is filled. */
    void putPart(byte[] key, byte[] piece, long version);

    /**
     * Fills the next slot of the epoch. FENCED if the row is not in the log and never will be.
     *
     * @param version higher than that of all earlier rows
     */
    DurableStep.Outcome append(LogPosition at, byte[] row, long version);

    /** The record in a slot, or the seal at the end of its epoch; null if the slot is free. */
    byte @Nullable [] read(LogPosition at);

    /**
     * Ends the epoch of a slot that was read as free.
     *
     * @param nothingRemoved whether nothing was removed from the log between the start of the walk
     *     to this slot and the call of this supplier
     */
    Sealing seal(LogPosition at, LogRecord.Seal seal, BooleanSupplier nothingRemoved);

    /**
     * Removes applied slots; never a seal.
     *
     * @param parts keys of the parts of the slots
     * @param reached all slots precede it
     */
    void remove(List<LogPosition> slots, List<byte[]> parts, LogCheckpoint reached);
}
