package petrichor.transactions.log;

import petrichor.kv.KeyValueStore;
import petrichor.transactions.rows.RowLayout;

/**
 * The note in the store of how far a database's log was applied. Late and repeated notes change
 * nothing: a note has the version of the batch it names, and only a newer one replaces it.
 */
final class LogCheckpoints {
    private final KeyValueStore store;
    private final LogStore log;
    private final byte[] key;

    LogCheckpoints(KeyValueStore store, LogStore log, RowLayout layout) {
        this.store = store;
        this.log = log;
        this.key = layout.logHintKey();
    }

    LogCheckpoint read() {
        byte[] value = store.get(RowLayout.META, key);
        return value == null ? LogCheckpoint.NONE : LogCheckpoint.decode(value);
    }

    /** Durable when it returns. */
    void write(LogCheckpoint checkpoint) {
        log.putNote(key, checkpoint);
    }
}
