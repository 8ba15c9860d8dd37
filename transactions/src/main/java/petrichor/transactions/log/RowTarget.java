package petrichor.transactions.log;

import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;
import petrichor.transactions.rows.TableLayout;

/**
 * Applies the log of one database to the rows of one store. Idempotent, and safe in several
 * processes at once, even with late writes, if each process follows the log in order and starts
 * where all earlier records are applied: an older value never replaces a newer one. Thread-safe.
 */
interface RowTarget {
    /** The implementation for the store's kind of durable step. */
    static RowTarget of(KeyValueStore store, TableLayout layout) {
        return switch (store.durableStep()) {
            case DurableStep.AtomicBatch step -> new FencedTarget(store, step, layout);
            case DurableStep.ConditionalRow step -> new VersionedTarget(step);
            case DurableStep.PlainRow _ -> throw CommitPoints.unsupported();
        };
    }

    /**
     * Writes this store's share of the effect of the log up to a version.
     *
     * @param history replaced rows; becomes visible before the rows that replace them
     * @param rows each with its last value in these steps
     */
    void apply(WriteBatch history, WriteBatch rows, long version);
}
