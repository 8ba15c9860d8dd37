package petrichor.transactions.log;

import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;
import petrichor.transactions.rows.TableLayout;

/**
 * Log store in a store with fenced batches, for databases with some rows in other stores. Writes a
 * slot under a fence if the slot was free when read under that fence. As with every log, only seals
 * determine the owner: a former owner may take the fence back, but then finds the seal.
 */
final class FencedLogStore implements LogStore {
    private final KeyValueStore store;
    private final FencedChange slots;
    private final FencedChange notes;

    FencedLogStore(KeyValueStore store, DurableStep.AtomicBatch step, TableLayout layout) {
        this.store = store;
        this.slots = new FencedChange(step, layout.fenceDomain("log/"));
        this.notes = new FencedChange(step, layout.fenceDomain("note/"));
    }

    @Override
    public DurableStep.Outcome putIfAbsent(String table, byte[] key, byte[] value) {
        return slots.perform(
                () ->
                        store.get(table, key) == null
                                ? new WriteBatch().put(table, key, value)
                                : null);
    }

    @Override
    public byte @Nullable [] read(String table, byte[] key) {
        return store.get(table, key);
    }

    @Override
    public void putNote(byte[] key, LogCheckpoint note) {
        DurableStep.Outcome outcome = notes.perform(() -> newer(key, note));
        if (outcome == DurableStep.Outcome.UNKNOWN) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "The outcome of writing the checkpoint of the log is unknown.");
        }
    }

    private @Nullable WriteBatch newer(byte[] key, LogCheckpoint note) {
        byte[] value = store.get(TableLayout.META, key);
        return value == null || LogCheckpoint.decode(value).last().version() < note.last().version()
                ? new WriteBatch().put(TableLayout.META, key, note.encoded())
                : null;
    }
}
