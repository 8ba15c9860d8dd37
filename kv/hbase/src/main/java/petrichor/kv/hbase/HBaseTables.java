package petrichor.kv.hbase;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreFailures;

/**
 * The store's namespace and its tables. The namespace and each table record their format version;
 * those without one belong to another program and are never changed.
 */
final class HBaseTables {
    private static final String FORMAT = "petrichor.format";
    private static final String FORMAT_VERSION = "1";

    /**
     * Since 2.5 a region server returns the addresses of the others to a client, without ZooKeeper.
     */
    private static final Pattern VERSION = Pattern.compile("([0-9]+)\\.([0-9]+)\\..*");

    private static final int MINOR_MIN = 5;

    private final HBaseConnection connection;

    /** Tables known to this process; another process may have dropped them. */
    private final Map<String, HBaseTableMetadata> seen = new ConcurrentHashMap<>();

    private HBaseTables(HBaseConnection connection) {
        this.connection = connection;
    }

    static HBaseTables open(HBaseConnection connection) {
        HBaseTables tables = new HBaseTables(connection);
        tables.requireVersion();
        tables.openNamespace();
        return tables;
    }

    /** Whether the namespace exists, in a suitable HBase. */
    static boolean areInitialized(HBaseConnection connection) {
        new HBaseTables(connection).requireVersion();
        return connection
                .await(connection.admin().listNamespaces(), null)
                .contains(connection.address().namespace());
    }

    private void requireVersion() {
        String version =
                connection
                        .await(
                                connection
                                        .admin()
                                        .getClusterMetrics(
                                                EnumSet.of(ClusterMetrics.Option.HBASE_VERSION)),
                                null)
                        .getHBaseVersion();
        if (version == null || !isKnown(version)) {
            throw unfit("it is HBase " + version + "; Petrichor needs 2.5 or later");
        }
    }

    static boolean isKnown(String version) {
        Matcher parts = VERSION.matcher(version);
        if (!parts.matches()) {
            return false;
        }
        int major = Integer.parseInt(parts.group(1));
        return major > 2 || (major == 2 && Integer.parseInt(parts.group(2)) >= MINOR_MIN);
    }

    private void openNamespace() {
        String name = connection.address().namespace();
        AsyncAdmin admin = connection.admin();
        List<TableDescriptor> tables = List.of();
        if (connection.await(admin.listNamespaces(), null).contains(name)) {
            String format =
                    connection
                            .await(admin.getNamespaceDescriptor(name), null)
                            .getConfigurationValue(FORMAT);
            tables = connection.await(admin.listTableDescriptorsByNamespace(name), null);
            if (format == null && !tables.isEmpty()) {
                throw unfit(
                        "its namespace '"
                                + name
                                + "' holds tables of another program; name another one after the"
                                + " last / of the address");
            } else if (format == null) {
                connection.awaitChange(
                        connection.changingAdmin().modifyNamespace(ourNamespace(name)), null);
            } else {
                requireFormat("namespace '" + name + "'", format);
            }
        } else {
            connection.awaitChange(
                    connection.changingAdmin().createNamespace(ourNamespace(name)), null);
        }
        tables.forEach(this::requireFit);
        for (TableDescriptor table : tables) {
            see(table.getTableName().getQualifierAsString());
        }
    }

    private static NamespaceDescriptor ourNamespace(String name) {
        return NamespaceDescriptor.create(name).addConfiguration(FORMAT, FORMAT_VERSION).build();
    }

    private void requireFormat(String what, String format) {
        if (!format.equals(FORMAT_VERSION)) {
            throw unfit(
                    "its "
                            + what
                            + " has format "
                            + format
                            + ", but this version supports "
                            + FORMAT_VERSION
                            + "; use the version that wrote it");
        }
    }

    /**
     * An administrator may have altered a table so that it drops rows or loses them in a power
     * failure.
     */
    private void requireFit(TableDescriptor table) {
        String name = table.getTableName().getNameAsString();
        String format = table.getValue(FORMAT);
        if (format == null) {
            throw unfit(
                    "the table '"
                            + name
                            + "' is not Petrichor's; move it out of this namespace, or name another"
                            + " namespace after the last / of the address");
        }
        requireFormat("table '" + name + "'", format);
        ColumnFamilyDescriptor family = table.getColumnFamily(StoredRow.FAMILY);
        if (family == null) {
            throw unfit("the table '" + name + "' has lost its column family 'd'");
        }
        if (family.getTimeToLive() != HConstants.FOREVER) {
            throw unfit("the table '" + name + "' expires rows; alter its TTL to FOREVER");
        }
        if (table.isReadOnly()) {
            throw unfit("the table '" + name + "' is read-only; alter READONLY to false");
        }
        switch (table.getDurability()) {
            case SKIP_WAL, ASYNC_WAL ->
                    throw unfit(
                            "the table '"
                                    + name
                                    + "' is set to lose writes (DURABILITY => "
                                    + table.getDurability()
                                    + "); alter it to USE_DEFAULT");
            case USE_DEFAULT, SYNC_WAL, FSYNC_WAL -> {}
        }
    }

    private PetrichorException unfit(String what) {
        return StoreFailures.unfit(connection.address().name(), what);
    }

    Set<String> names() {
        Set<String> names = new TreeSet<>();
        for (TableName table :
                connection.await(
                        connection
                                .admin()
                                .listTableNamesByNamespace(connection.address().namespace()),
                        null)) {
            names.add(table.getQualifierAsString());
        }
        return names;
    }

    /** Tables that this process has used. */
    Set<String> seen() {
        return Set.copyOf(seen.keySet());
    }

    /** NOT_FOUND if it does not exist; queries the store only for tables not seen before. */
    void require(String table) {
        notes(table);
    }

    HBaseTableMetadata notes(String table) {
        connection.requireOpen();
        HBaseTableMetadata notes = seen.get(table);
        if (notes != null) {
            return notes;
        }
        if (!mayExist(table)
                || !connection.await(
                        connection.admin().tableExists(connection.name(table)), table)) {
            throw StoreFailures.noSuchTable(table);
        }
        return see(table);
    }

    /** HBase rejects queries for invalid names. */
    private static boolean mayExist(String table) {
        try {
            StoreFailures.requireTableName(table);
            return true;
        } catch (PetrichorException noName) {
            return false;
        }
    }

    private HBaseTableMetadata see(String table) {
        return seen.computeIfAbsent(table, name -> new HBaseTableMetadata(connection, name));
    }

    void create(String table) {
        StoreFailures.requireTableName(table);
        connection.requireOpen();
        if (seen.containsKey(table)
                && connection.await(
                        connection.admin().tableExists(connection.name(table)), table)) {
            return;
        }
        TableDescriptor descriptor =
                TableDescriptorBuilder.newBuilder(connection.name(table))
                        .setColumnFamily(
                                ColumnFamilyDescriptorBuilder.newBuilder(StoredRow.FAMILY)
                                        .setMaxVersions(1)
                                        .setKeepDeletedCells(KeepDeletedCells.FALSE)
                                        .setDataBlockEncoding(DataBlockEncoding.FAST_DIFF)
                                        .build())
                        .setDurability(Durability.FSYNC_WAL)
                        .setValue(FORMAT, FORMAT_VERSION)
                        .build();
        try {
            connection.awaitChange(connection.changingAdmin().createTable(descriptor), table);
        } catch (PetrichorException refused) {
            if (!isCausedBy(refused, TableExistsException.class)) {
                throw refused;
            }
            requireFit(
                    connection.await(
                            connection.admin().getDescriptor(connection.name(table)), table));
        }
        see(table);
    }

    void drop(String table) {
        connection.requireOpen();
        seen.remove(table);
        if (!mayExist(table)) {
            return;
        }
        AsyncAdmin admin = connection.changingAdmin();
        TableName name = connection.name(table);
        try {
            if (connection.await(connection.admin().isTableEnabled(name), table)) {
                connection.awaitChange(admin.disableTable(name), table);
            }
            connection.awaitChange(admin.deleteTable(name), table);
            connection.forgetRegions(table);
        } catch (PetrichorException refused) {
            if (refused.code() != ErrorCode.NOT_FOUND
                    && !isCausedBy(refused, TableNotFoundException.class)) {
                throw refused;
            }
        }
    }

    private static boolean isCausedBy(Throwable failure, Class<? extends Throwable> cause) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (cause.isInstance(at)) {
                return true;
            }
        }
        return false;
    }
}
