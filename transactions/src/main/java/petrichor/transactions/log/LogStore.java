package petrichor.transactions.log;

import org.jspecify.annotations.Nullable;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.transactions.rows.TableLayout;

/** The operations of a store that a commit log needs. Thread-safe. */
public interface LogStore {
    /** The implementation for the store's kind of durable step. */
    static LogStore of(KeyValueStore store, TableLayout layout) {
        return switch (store.durableStep()) {
            case DurableStep.AtomicBatch step -> new FencedLogStore(store, step, layout);
            case DurableStep.ConditionalRow step -> new ConditionalLogStore(store, step);
            case DurableStep.PlainRow _ -> throw CommitPoints.unsupported();
        };
    }

    /** Durably writes a row that must not exist; FENCED if it does. */
    DurableStep.Outcome putIfAbsent(String table, byte[] key, byte[] value);

    /** Linearizable read of a row that {@link #putIfAbsent} wrote. */
    byte @Nullable [] read(String table, byte[] key);

    /** Writes the checkpoint unless a later one is stored; durable when it returns. */
    void putNote(byte[] key, LogCheckpoint note);
}
