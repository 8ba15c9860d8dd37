package petrichor.transactions.log;

import petrichor.kv.KeyValueStore;
import petrichor.transactions.rows.TableLayout;

/**
 * Stores the checkpoint of a database's log. Late and repeated writes have no effect: a checkpoint
 * carries the version of its batch, and only a newer one replaces it.
 */
final class LogCheckpoints {
    private final KeyValueStore store;
    private final LogStore log;
    private final byte[] key;

    LogCheckpoints(KeyValueStore store, LogStore log, TableLayout layout) {
        this.store = store;
        this.log = log;
        this.key = layout.logHintKey();
    }

    LogCheckpoint read() {
        byte[] value = store.get(TableLayout.META, key);
        return value == null ? LogCheckpoint.NONE : LogCheckpoint.decode(value);
    }

    /** Durable when it returns. */
    void write(LogCheckpoint checkpoint) {
        log.putNote(key, checkpoint);
    }
}
