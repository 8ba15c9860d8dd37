package petrichor.kv.hbase;

import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.jspecify.annotations.Nullable;
import petrichor.kv.RawRows;

/** A table like the store's, with plain values as cells; each put is one request. */
final class HBaseRawRows implements RawRows {
    private static final String TABLE = "raw";

    private final HBaseConnection connection;
    private final HBaseTables tables;

    private HBaseRawRows(HBaseConnection connection, HBaseTables tables) {
        this.connection = connection;
        this.tables = tables;
    }

    static HBaseRawRows open(HBaseAddress address) {
        HBaseConnection connection = HBaseConnection.open(address);
        try {
            HBaseTables tables = HBaseTables.open(connection);
            tables.create(TABLE);
            return new HBaseRawRows(connection, tables);
        } catch (RuntimeException failed) {
            connection.close();
            throw failed;
        }
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        Get get = new Get(key).addColumn(StoredRow.FAMILY, StoredRow.COLUMN);
        Result row = connection.await(connection.table(TABLE).get(get), TABLE);
        return row.value();
    }

    @Override
    public void put(byte[] key, byte[] value) {
        Put put =
                new Put(key)
                        .addColumn(StoredRow.FAMILY, StoredRow.COLUMN, value)
                        .setDurability(Durability.FSYNC_WAL);
        connection.await(connection.table(TABLE).put(put), TABLE);
    }

    @Override
    public void close() {
        try (connection) {
            tables.drop(TABLE);
        }
    }
}
