package petrichor.transactions.log;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;
import petrichor.transactions.rows.TableLayout;

/**
 * Target in a store with fenced batches: a mark next to the rows records up to which version the
 * log is applied, and is written with the rows in one fenced batch. A late process finds a later
 * mark and leaves the rows unchanged: the mark implies all earlier records, because every process
 * follows the log in order.
 *
 * <pre>
 *   meta     'a' database(4)   -> version(8)
 * </pre>
 *
 * The mark stays when the database is dropped, so that late rows still encounter it.
 */
public final class FencedTarget implements RowTarget {
    static final String DOMAIN = "rows/";

    private final KeyValueStore store;
    private final FencedChange change;
    private final byte[] markKey;

    public FencedTarget(KeyValueStore store, DurableStep.AtomicBatch step, TableLayout layout) {
        this.store = store;
        this.change = new FencedChange(step, layout.fenceDomain(DOMAIN));
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
        byte[] mark = store.get(TableLayout.META, markKey);
        if (mark != null && TableLayout.longAt(mark, 0) >= version) {
            return null;
        }
        WriteBatch batch = new WriteBatch();
        history.ops().forEach(batch::add);
        rows.ops().forEach(batch::add);
        return batch.put(TableLayout.META, markKey, markOf(version));
    }

    /**
     * Writes rows that are copied from another store. UNAVAILABLE if a process has applied later
     * steps here than the caller knows: then it owns the database.
     *
     * @param upTo the last step that the caller has applied
     * @param copied reads the other store, whenever this one may have changed; null for none
     */
    public void copy(long upTo, Supplier<@Nullable WriteBatch> copied) {
        DurableStep.Outcome outcome =
                change.perform(
                        () -> {
                            byte[] mark = store.get(TableLayout.META, markKey);
                            if (mark != null && TableLayout.longAt(mark, 0) > upTo) {
                                throw PetrichorException.of(
                                        ErrorCode.UNAVAILABLE,
                                        "Later commits are applied in the store already; the copy"
                                                + " is repeated.");
                            }
                            return copied.get();
                        });
        if (outcome == DurableStep.Outcome.UNKNOWN) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE, "The outcome of copying rows is unknown; retrying.");
        }
    }

    static byte[] markOf(long version) {
        byte[] mark = new byte[Long.BYTES];
        TableLayout.putLong(mark, 0, version);
        return mark;
    }
}
