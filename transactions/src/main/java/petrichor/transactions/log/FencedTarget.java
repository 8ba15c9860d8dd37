package petrichor.transactions.log;

import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;
import petrichor.transactions.rows.RowLayout;

/**
 * A mark beside the rows says up to which version of the log they are put; it is written with them,
 * all in one fenced batch. Who comes late finds a later mark and leaves the rows as they are: with
 * that mark everything before it is there, because everybody goes through the log in its order.
 *
 * <pre>
 *   meta     'a' database(4)   -> version(8)
 * </pre>
 *
 * The mark stays when the database is dropped: late rows still meet it.
 */
final class FencedTarget implements RowTarget {
    private final KeyValueStore store;
    private final FencedChange change;
    private final byte[] markKey;

    FencedTarget(KeyValueStore store, DurableStep.AtomicBatch step, RowLayout layout) {
        this.store = store;
        this.change = new FencedChange(step, layout.fenceDomain("rows/"));
        this.markKey = layout.appliedKey();
    }

    @Override
    public void apply(WriteBatch history, WriteBatch rows, long version) {
        DurableStep.Outcome outcome = change.perform(() -> unapplied(history, rows, version));
        if (outcome == DurableStep.Outcome.UNKNOWN) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE, "The outcome of applying the log is unknown; retrying.");
        }
    }

    private @Nullable WriteBatch unapplied(WriteBatch history, WriteBatch rows, long version) {
        byte[] mark = store.get(RowLayout.META, markKey);
        if (mark != null && RowLayout.longAt(mark, 0) >= version) {
            return null;
        }
        WriteBatch batch = new WriteBatch();
        history.ops().forEach(batch::add);
        rows.ops().forEach(batch::add);
        byte[] reached = new byte[Long.BYTES];
        RowLayout.putLong(reached, 0, version);
        return batch.put(RowLayout.META, markKey, reached);
    }
}
