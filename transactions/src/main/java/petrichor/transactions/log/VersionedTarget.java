package petrichor.transactions.log;

import petrichor.kv.DurableStep;
import petrichor.kv.WriteBatch;

/**
 * Each row keeps the newest version that anybody put.
 *
 * <p>The store may show some rows of a step and not yet others; who reads an older version and
 * meets a row that is too young must find in history what was there.
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
