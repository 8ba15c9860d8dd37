package petrichor.kv.jdbc;

import petrichor.kv.DurableStep;
import petrichor.kv.WriteBatch;
import petrichor.kv.jdbc.SqlDialect.Fence;

/**
 * The commit point: one transaction that holds the row of its fence and writes all rows. Who takes
 * a fence changes that row, and so waits until the transactions that hold it are through; those
 * that come after find another number. A connection that is lost while the answer is awaited leaves
 * the outcome {@code UNKNOWN}.
 */
record SqlFences(SqlStore store) implements DurableStep.AtomicBatch {

    @Override
    public long takeFence(byte[] domain) {
        return store.repeated(Layout.FENCES, c -> store.dialect().takeFence(c, domain));
    }

    @Override
    public Outcome commit(byte[] domain, long fence, WriteBatch batch) {
        return store.transact(new Fence(domain, fence), batch);
    }
}
