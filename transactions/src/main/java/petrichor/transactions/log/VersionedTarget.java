package petrichor.transactions.log;

import petrichor.kv.DurableStep;
import petrichor.kv.WriteBatch;

/**
 * Target in a store that keeps the newest version of each row, regardless of which process wrote
 * it.
 *
 * <p>The store may show some rows of a step before others; a reader of an older version that
 * encounters a newer row must find the earlier one in history.
 */
record VersionedTarget(DurableStep.ConditionalRow step) implements RowTarget {
    @Override
    public void apply(WriteBatch history, WriteBatch rows, long version) {
        if (!history.isEmpty()) {
            step.putIfNewer(history, version);
        }
        if (!rows.isEmpty()) {
            step.putIfNewer(rows, version);
        }
    }
}
