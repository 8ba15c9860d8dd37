package petrichor.kv.hbase;

import java.util.concurrent.ThreadLocalRandom;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Capabilities;
import petrichor.kv.DurableStep;
import petrichor.kv.StoreFailures;
import petrichor.kv.WriteBatch;

/**
 * The durable step: HBase's {@code checkAndMutate}, synced before it is acknowledged.
 *
 * <p>The driver retries a request whose response was lost, and the retry finds the row already
 * written. So each row carries a random mark of its writer; a writer that is refused reads the row
 * and compares the mark.
 */
final class HBaseStep implements DurableStep.ConditionalRow {
    private final HBaseConnection connection;
    private final HBaseTables tables;
    private final HBaseWrites writes;
    private final Capabilities limits;

    HBaseStep(
            HBaseConnection connection,
            HBaseTables tables,
            HBaseWrites writes,
            Capabilities limits) {
        this.connection = connection;
        this.tables = tables;
        this.writes = writes;
        this.limits = limits;
    }

    @Override
    public Outcome putIfAbsent(String table, byte[] key, byte[] value) {
        StoreFailures.requireFits(new WriteBatch().put(table, key, value), limits);
        connection.requireOpen();
        byte[] mark = new byte[StoredRow.MARK_BYTES];
        ThreadLocalRandom.current().nextBytes(mark);
        try {
            long timestamp = writes.unversioned(table, key);
            Put put = StoredRow.markedPut(key, timestamp, mark, value);
            if (mutated(
                    table, check(put).ifNotExists(StoredRow.FAMILY, StoredRow.COLUMN).build(put))) {
                return Outcome.DONE;
            }
            Cell there = cell(table, key);
            if (there != null && !tables.notes(table).counts(there, key)) {
                // Replaces the tombstone of a deleted row unless another writer was faster.
                Put over =
                        StoredRow.markedPut(
                                key, Math.max(timestamp, there.getTimestamp()), mark, value);
                CheckAndMutate replace =
                        check(over)
                                .ifEquals(
                                        StoredRow.FAMILY,
                                        StoredRow.COLUMN,
                                        CellUtil.cloneValue(there))
                                .build(over);
                if (mutated(table, replace)) {
                    return Outcome.DONE;
                }
                there = cell(table, key);
            }
            return there != null && StoredRow.isMarked(there, mark) ? Outcome.DONE : Outcome.FENCED;
        } catch (PetrichorException failed) {
            if (failed.code() == ErrorCode.UNAVAILABLE) {
                return Outcome.UNKNOWN;
            }
            throw failed;
        }
    }

    private static CheckAndMutate.Builder check(Put put) {
        return CheckAndMutate.newBuilder(put.getRow());
    }

    private boolean mutated(String table, CheckAndMutate change) {
        return connection.await(connection.table(table).checkAndMutate(change), table).isSuccess();
    }

    private @Nullable Cell cell(String table, byte[] key) {
        return StoredRow.cell(row(table, key));
    }

    private Result row(String table, byte[] key) {
        return connection.await(connection.table(table).get(StoredRow.get(key)), table);
    }

    @Override
    public byte @Nullable [] read(String table, byte[] key) {
        return tables.notes(table).value(row(table, key), key);
    }

    @Override
    public void putIfNewer(WriteBatch batch, long version) {
        writes.writeIfNewer(batch, version);
    }
}
