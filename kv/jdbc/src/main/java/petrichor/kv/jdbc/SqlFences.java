package petrichor.kv.jdbc;

import petrichor.kv.DurableStep;
import petrichor.kv.WriteBatch;
import petrichor.kv.jdbc.SqlDialect.Fence;

/**
 * The commit point: one transaction that locks the row of its fence and writes all rows. Taking a
 * fence changes that row, and so waits until the transactions that hold it have ended; later ones
 * find another number. If the connection is lost while waiting for the response, the outcome is
 * {@code UNKNOWN}.
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
