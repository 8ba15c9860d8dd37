package petrichor.transactions;

import petrichor.kv.KeyValueStore;

/**
 * The note in the store of how far a database's log was applied. Late and repeated notes change
 * nothing: a note has the version of the batch it names, and only a newer one replaces it.
 */
final class LogHints {
    private final KeyValueStore store;
    private final LogStore log;
    private final byte[] key;

    LogHints(KeyValueStore store, LogStore log, RowLayout layout) {
        this.store = store;
        this.log = log;
        this.key = layout.logHintKey();
    }

    LogHint read() {
        byte[] value = store.get(RowLayout.META, key);
        return value == null ? LogHint.NONE : LogHint.decode(value);
    }

    /** Durable when it returns. */
    void write(LogHint hint) {
        log.putNote(key, hint);
    }
}
