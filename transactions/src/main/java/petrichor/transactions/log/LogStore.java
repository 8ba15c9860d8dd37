package petrichor.transactions.log;

import org.jspecify.annotations.Nullable;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.transactions.rows.RowLayout;

/** What a commit log needs of its store. Safe for any thread. */
public interface LogStore {
    /** In the form that the store's durable step allows. */
    static LogStore of(KeyValueStore store, RowLayout layout) {
        return switch (store.durableStep()) {
            case DurableStep.AtomicBatch step -> new FencedLogStore(store, step, layout);
            case DurableStep.ConditionalRow step -> new ConditionalLogStore(store, step);
            case DurableStep.PlainRow _ -> throw CommitPoints.unsupported();
        };
    }

    /** Durable put of a row that must not exist; FENCED if it does. */
    DurableStep.Outcome putIfAbsent(String table, byte[] key, byte[] value);

    /** Reads a row that {@link #putIfAbsent} wrote, linearizably. */
    byte @Nullable [] read(String table, byte[] key);

    /** Puts a note unless one of a later version is there; durable when it returns. */
    void putNote(byte[] key, LogCheckpoint note);
}
