package petrichor.kv.hbase;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Capabilities;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.StoreFailures;
import petrichor.kv.StoreLimits;
import petrichor.kv.WriteBatch;

/**
 * A store in an HBase namespace. Reads go to the one server that holds a region, never to a
 * replica, so they see every acknowledged write; writes are synced to HBase's log before they are
 * acknowledged.
 *
 * <p>Thread-safe, and waits are cheap: requests of all threads share a few connections. While HBase
 * is unreachable each call fails with {@code UNAVAILABLE} after the address's timeout; once it is
 * back the next call succeeds.
 */
public final class HBaseStore implements KeyValueStore {
    private static final Capabilities CAPABILITIES =
            new Capabilities(
                    false, new StoreLimits(StoredRow.KEY_BYTES_MAX, StoredRow.VALUE_BYTES_MAX));

    private final HBaseConnection connection;
    private final HBaseTables tables;
    private final HBaseWrites writes;
    private final HBaseStep step;
    private final TombstoneSweep sweep;

    private HBaseStore(HBaseConnection connection, HBaseTables tables) {
        this.connection = connection;
        this.tables = tables;
        this.writes = new HBaseWrites(connection, tables, CAPABILITIES, InstantSource.system());
        this.step = new HBaseStep(connection, tables, writes, CAPABILITIES);
        this.sweep = TombstoneSweep.start(connection, tables, InstantSource.system());
    }

    static HBaseStore open(HBaseAddress address) {
        HBaseConnection connection = HBaseConnection.open(address);
        try {
            return new HBaseStore(connection, HBaseTables.open(connection));
        } catch (RuntimeException unfit) {
            connection.close();
            throw unfit;
        }
    }

    @Override
    public Capabilities capabilities() {
        return CAPABILITIES;
    }

    @Override
    public Set<String> tables() {
        return tables.names();
    }

    @Override
    public void createTable(String table) {
        tables.create(table);
    }

    @Override
    public void dropTable(String table) {
        tables.drop(table);
    }

    @Override
    public byte @Nullable [] get(String table, byte[] key) {
        Result row = connection.await(connection.table(table).get(StoredRow.get(key)), table);
        return tables.notes(table).value(row, key);
    }

    @Override
    public List<byte @Nullable []> get(String table, List<byte[]> keys) {
        HBaseTableMetadata notes = tables.notes(table);
        List<Get> gets = new ArrayList<>(keys.size());
        for (byte[] key : keys) {
            gets.add(StoredRow.get(key));
        }
        List<Result> rows = connection.await(connection.table(table).getAll(gets), table);
        List<byte @Nullable []> values = new ArrayList<>(keys.size());
        for (int i = 0; i < keys.size(); i++) {
            values.add(notes.value(rows.get(i), keys.get(i)));
        }
        return values;
    }

    @Override
    public Scan scan(String table, KeyRange range, Direction direction, int limit) {
        StoreFailures.requireLimit(limit);
        return new HBaseScan(
                connection,
                tables.notes(table),
                table,
                range,
                direction,
                limit,
                HBaseScan.Wanted.VALUES);
    }

    @Override
    public void write(WriteBatch batch) {
        writes.write(batch);
    }

    @Override
    public DurableStep durableStep() {
        return step;
    }

    @Override
    public long retries() {
        return connection.retries();
    }

    @Override
    public void close() {
        sweep.close();
        connection.close();
    }
}
