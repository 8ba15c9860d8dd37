package petrichor.transactions.log;

import org.jspecify.annotations.Nullable;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;
import petrichor.transactions.rows.TableLayout;

/** Log store over conditional writes of single rows, which suffice for a log. */
record ConditionalLogStore(KeyValueStore store, DurableStep.ConditionalRow step)
        implements LogStore {
    @Override
    public DurableStep.Outcome putIfAbsent(String table, byte[] key, byte[] value) {
        return step.putIfAbsent(table, key, value);
    }

    @Override
    public byte @Nullable [] read(String table, byte[] key) {
        return step.read(table, key);
    }

    @Override
    public void putNote(byte[] key, LogCheckpoint note) {
        step.putIfNewer(
                new WriteBatch().put(TableLayout.META, key, note.encoded()), note.last().version());
    }
}
