package petrichor.bench.drivers.stores;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;
import petrichor.bench.drivers.RawRows;
import petrichor.kv.StoreUrl;

/**
 * A table with plain values as cells; each put is one request, synced by the write-ahead log. The
 * table is outside of the store's namespace, in which the store accepts only its own tables.
 */
final class HBaseRawRows implements RawRows {
    private static final int PORT = 16020;
    private static final byte[] FAMILY = Bytes.toBytes("d");
    private static final byte[] COLUMN = Bytes.toBytes("v");

    /** Tables are created and dropped by slow procedures of the master. */
    private static final int CHANGE_TIMEOUT_S = 60;

    private final AsyncConnection connection;
    private final AsyncAdmin admin;
    private final TableName name;
    private final AsyncTable<?> table;

    private HBaseRawRows(AsyncConnection connection, TableName name) {
        this.connection = connection;
        this.admin =
                connection
                        .getAdminBuilder()
                        .setOperationTimeout(CHANGE_TIMEOUT_S, TimeUnit.SECONDS)
                        .build();
        this.name = name;
        this.table = connection.getTable(name);
        drop();
        admin.createTable(
                        TableDescriptorBuilder.newBuilder(name)
                                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                                .build())
                .join();
    }

    static HBaseRawRows open(StoreUrl url) {
        AsyncConnection connection =
                ConnectionFactory.createAsyncConnection(configuration(url), user(url)).join();
        try {
            return new HBaseRawRows(connection, TableName.valueOf(BareDrivers.name(url) + "_raw"));
        } catch (RuntimeException failed) {
            close(connection);
            throw failed;
        }
    }

    private static Configuration configuration(StoreUrl url) {
        Configuration settings = HBaseConfiguration.create();
        String zookeeper = url.option("zookeeper", "");
        if (zookeeper.isEmpty()) {
            settings.set(
                    "hbase.client.registry.impl",
                    "org.apache.hadoop.hbase.client.RpcConnectionRegistry");
            settings.set(
                    "hbase.client.bootstrap.servers",
                    String.join(
                            ",",
                            url.nodes().stream()
                                    .map(node -> node.host() + ":" + node.portOr(PORT))
                                    .toList()));
        } else {
            int znode = zookeeper.indexOf('/');
            settings.set("hbase.zookeeper.quorum", zookeeper.substring(0, znode));
            settings.set("zookeeper.znode.parent", zookeeper.substring(znode));
        }
        settings.setInt("hbase.client.operation.timeout", BareDrivers.timeoutMs(url));
        settings.setInt("hbase.client.meta.operation.timeout", BareDrivers.timeoutMs(url));
        return settings;
    }

    private static User user(StoreUrl url) {
        try {
            return url.user().isPresent()
                    ? User.create(UserGroupInformation.createRemoteUser(url.user().get()))
                    : User.getCurrent();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private void drop() {
        if (admin.tableExists(name).join()) {
            if (admin.isTableEnabled(name).join()) {
                admin.disableTable(name).join();
            }
            admin.deleteTable(name).join();
        }
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        return table.get(new Get(key).addColumn(FAMILY, COLUMN)).join().value();
    }

    @Override
    public void put(byte[] key, byte[] value) {
        table.put(new Put(key).addColumn(FAMILY, COLUMN, value).setDurability(Durability.FSYNC_WAL))
                .join();
    }

    @Override
    public void close() {
        try {
            drop();
        } finally {
            close(connection);
        }
    }

    private static void close(AsyncConnection connection) {
        try {
            connection.close();
        } catch (IOException unclean) {
            throw new UncheckedIOException(unclean);
        }
    }
}
