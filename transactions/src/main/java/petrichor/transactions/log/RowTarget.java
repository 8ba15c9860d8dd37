package petrichor.transactions.log;

import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;
import petrichor.transactions.rows.RowLayout;

/**
 * A store's rows of one database, as far as they follow from its log. The same may be put any
 * number of times, late, and by any number of processes, if each of them goes through the log in
 * its order and begins where all before is put: nothing older ever replaces anything newer. Safe
 * for any thread.
 */
interface RowTarget {
    /** In the form that the store's durable step allows. */
    static RowTarget of(KeyValueStore store, RowLayout layout) {
        return switch (store.durableStep()) {
            case DurableStep.AtomicBatch step -> new FencedTarget(store, step, layout);
            case DurableStep.ConditionalRow step -> new VersionedTarget(step);
            case DurableStep.PlainRow _ -> throw CommitPoints.unsupported();
        };
    }

    /**
     * What the steps of the log up to a version have left, as far as it lies here.
     *
     * @param history what was replaced; shown before what replaces it
     * @param rows each has the last value that it has in these steps
     */
    void apply(WriteBatch history, WriteBatch rows, long version);
}
