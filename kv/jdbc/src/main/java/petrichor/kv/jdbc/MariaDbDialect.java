package petrichor.kv.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.mariadb.jdbc.Driver;
import petrichor.base.Bytes;
import petrichor.kv.StoreLimits;
import petrichor.kv.StoreTls;
import petrichor.kv.StoreUrl;

/**
 * MariaDB with InnoDB, standalone or as a Galera cluster. Reads are prepared on the server; a
 * transaction is one compound statement that contains its values ({@link MariaDbTransaction}).
 *
 * <p>In a Galera cluster each node knows only its own locks, but each write is certified against
 * those of the other nodes. So a transaction writes into the row of its fence: a node that does not
 * know of a newer fence yet rolls the transaction back when it certifies it. Reads wait until the
 * node has applied everything that was acknowledged anywhere ({@code wsrep_sync_wait}).
 */
final class MariaDbDialect implements SqlDialect {
    static final String SCHEME = "mariadb";

    /** The oldest version that is still maintained. */
    private static final String VERSION_MIN = "10.6";

    /** Galera: the node is cut off from the others, or has not joined them yet. */
    private static final int NODE_NOT_READY = 1047;

    /** MariaDB's default. */
    private static final long PACKET_BYTES_MIN = 16L << 20;

    /** Size of a message in addition to its rows. */
    private static final long PACKET_BYTES_SPARE = 1L << 20;

    /** Keys in one statement; more are split over several. */
    private static final int KEYS_MAX = 1_024;

    private static final long GALERA_WRITE_SET_BYTES = Integer.MAX_VALUE;

    private static final String SETTINGS =
            "SHOW VARIABLES WHERE Variable_name IN ('version', 'read_only',"
                    + " 'innodb_flush_log_at_trx_commit', 'innodb_doublewrite', 'log_bin',"
                    + " 'sync_binlog', 'max_allowed_packet', 'wsrep_on', 'wsrep_max_ws_size')";

    private final StoreUrl url;
    private final Duration timeout;
    private final Optional<StoreTls> tls;
    private final String database;
    private final MariaDbProcedures procedures = new MariaDbProcedures(this);

    /** Whether any server reported that it is part of a Galera cluster. */
    private volatile boolean galera;

    /** As reported by the first server; 0 before. */
    private volatile long packetBytes;

    /** Maximum size of a transaction in a Galera cluster: the smallest that a node reported. */
    private volatile long writeSetBytes = StoreLimits.UNLIMITED;

    MariaDbDialect(StoreUrl url, Duration timeout) {
        this.url = url;
        this.timeout = timeout;
        this.tls = StoreTls.of(url);
        this.database = SqlNames.required(url.name().isEmpty() ? "petrichor" : url.name());
    }

    @Override
    public int usualPort() {
        return 3306;
    }

    boolean galera() {
        return galera;
    }

    MariaDbProcedures procedures() {
        return procedures;
    }

    /** Bytes of rows in one message: each byte may take two when written as text. */
    long messageBytesMax() {
        return (packetBytes - PACKET_BYTES_SPARE) / 2;
    }

    @Override
    public StoreLimits limits() {
        long value = Math.min(SqlStore.VALUE_BYTES_MAX, messageBytesMax() - SqlStore.KEY_BYTES_MAX);
        // Half of a Galera write set, which contains rows with their keys and with the rows that
        // they replace.
        return new StoreLimits(
                SqlStore.KEY_BYTES_MAX,
                (int) Math.min(value, writeSetBytes / 2),
                writeSetBytes == StoreLimits.UNLIMITED ? writeSetBytes : writeSetBytes / 2);
    }

    @Override
    public String schema() {
        return database;
    }

    @Override
    public String qualified(String sqlTable) {
        return "`" + database + "`.`" + sqlTable + "`";
    }

    @Override
    public Connection connect(StoreUrl.Node node) throws SQLException {
        String millis = String.valueOf(timeout.toMillis() / url.nodes().size());
        Properties properties = new Properties();
        properties.put("user", url.user().orElse("petrichor"));
        url.password().ifPresent(password -> properties.put("password", password));
        properties.put("connectTimeout", millis);
        properties.put("socketTimeout", millis);
        properties.put("useServerPrepStmts", "true");
        properties.put("tcpKeepAlive", "true");
        tls.ifPresent(by -> MariaDbTls.configure(properties, by));
        // Each statement names the database, so that the first one may create it.
        Connection connection =
                new Driver()
                        .connect(
                                "jdbc:mariadb://"
                                        + node.host()
                                        + ":"
                                        + node.portOr(usualPort())
                                        + "/",
                                properties);
        if (connection == null) {
            throw new SQLException("the driver does not know the address " + url, "08001");
        }
        return connection;
    }

    @Override
    public Optional<String> prepare(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            Map<String, String> settings = pairs(statement, SETTINGS);
            boolean clustered = "ON".equals(settings.get("wsrep_on"));
            if (clustered) {
                galera = true;
                noteWriteSet(Long.parseLong(settings.getOrDefault("wsrep_max_ws_size", "0")));
                requireReady(statement);
            }
            statement.execute(
                    "SET SESSION tx_isolation = 'READ-COMMITTED', sql_mode ="
                            + " 'STRICT_ALL_TABLES', in_predicate_conversion_threshold = 0,"
                            + " innodb_lock_wait_timeout = "
                            + Math.max(1, timeout.toSeconds())
                            + (clustered ? ", wsrep_sync_wait = 1" : ""));
            return unfit(settings).or(() -> unfitPacket(settings));
        }
    }

    /** 0 means Galera's own limit. */
    private synchronized void noteWriteSet(long bytes) {
        writeSetBytes = Math.min(writeSetBytes, bytes == 0 ? GALERA_WRITE_SET_BYTES : bytes);
    }

    /** A node that is cut off accepts clients but refuses their statements. */
    private static void requireReady(Statement statement) throws SQLException {
        Map<String, String> status =
                pairs(
                        statement,
                        "SHOW STATUS WHERE Variable_name IN ('wsrep_ready',"
                                + " 'wsrep_cluster_status', 'wsrep_local_state_comment')");
        if (!"ON".equals(status.get("wsrep_ready"))) {
            throw new SQLException(
                    "this node of the cluster is not ready: " + status, "08S01", NODE_NOT_READY);
        }
    }

    private static Map<String, String> pairs(Statement statement, String query)
            throws SQLException {
        Map<String, String> pairs = new HashMap<>();
        try (ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                pairs.put(rows.getString(1), rows.getString(2));
            }
        }
        return pairs;
    }

    /** Why a server with these settings must not be used. */
    static Optional<String> unfit(Map<String, String> settings) {
        String version = settings.getOrDefault("version", "unknown");
        if (!version.contains("MariaDB") || olderThan(VERSION_MIN, version)) {
            return Optional.of("it is " + version + "; MariaDB " + VERSION_MIN + " is needed");
        }
        if (!"OFF".equals(settings.get("read_only"))) {
            return Optional.of(
                    "it is read_only, as replicas are; point store.url at the primary server");
        }
        if (!"1".equals(settings.get("innodb_flush_log_at_trx_commit"))) {
            return Optional.of(
                    "innodb_flush_log_at_trx_commit is "
                            + settings.get("innodb_flush_log_at_trx_commit")
                            + ", so that a crash would lose acknowledged writes; set it to 1");
        }
        if ("OFF".equals(settings.get("innodb_doublewrite"))) {
            return Optional.of(
                    "innodb_doublewrite is off, so that a crash would damage pages; set it to ON");
        }
        if ("ON".equals(settings.get("log_bin")) && !"1".equals(settings.get("sync_binlog"))) {
            return Optional.of(
                    "sync_binlog is "
                            + settings.get("sync_binlog")
                            + " while the binary log is on, so that a crash would lose"
                            + " acknowledged writes; set it to 1");
        }
        return Optional.empty();
    }

    /**
     * The first server determines the maximum size of a value; the others must not have a lower
     * limit.
     */
    private synchronized Optional<String> unfitPacket(Map<String, String> settings) {
        long packet = Long.parseLong(settings.getOrDefault("max_allowed_packet", "0"));
        if (packet < PACKET_BYTES_MIN) {
            return Optional.of("max_allowed_packet is " + packet + "; set it to 16M or more");
        }
        if (packet < packetBytes) {
            return Optional.of(
                    "max_allowed_packet is "
                            + packet
                            + ", but "
                            + packetBytes
                            + " on another node; set the same value on all nodes");
        }
        packetBytes = packetBytes == 0 ? packet : packetBytes;
        return Optional.empty();
    }

    private static boolean olderThan(String least, String version) {
        String[] leastParts = least.split("\\.", -1);
        String[] parts = version.split("[.-]", -1);
        int major = Integer.compare(Integer.parseInt(parts[0]), Integer.parseInt(leastParts[0]));
        int minor = Integer.compare(Integer.parseInt(parts[1]), Integer.parseInt(leastParts[1]));
        return major < 0 || (major == 0 && minor < 0);
    }

    @Override
    public SqlFault fault(SQLException failure) {
        return switch (failure.getErrorCode()) {
            case 1213, 1205, 1020 -> SqlFault.ROLLED_BACK;
            case 1146, 1049 -> SqlFault.NO_TABLE;
            case 1045, 1698, 1130 -> SqlFault.AUTH_FAILED;
            case 1044, 1142, 1227 -> SqlFault.DENIED;
            case 1290, 1792, 1836 -> SqlFault.READ_ONLY;
            case 1021, 1037, 1038, 1040, 1041, 1114, 1203, 1226 -> SqlFault.FULL;
            case NODE_NOT_READY, 1053, 1077, 1152, 1158, 1159, 1160, 1161, 1927 ->
                    SqlFault.UNREACHABLE;
            case 1317, 1969 -> SqlFault.TIMEOUT;
            default -> {
                String state = failure.getSQLState();
                yield state == null || state.startsWith("08")
                        ? SqlFault.UNREACHABLE
                        : SqlFault.OTHER;
            }
        };
    }

    @Override
    public void createSchema(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE DATABASE IF NOT EXISTS `" + database + "` CHARACTER SET binary");
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS "
                            + qualified(Layout.FORMAT)
                            + " (one INT PRIMARY KEY, version INT NOT NULL) ENGINE=InnoDB");
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS "
                            + qualified(Layout.FENCES)
                            + " (domain VARBINARY("
                            + SplitKey.HEAD_BYTES_MAX
                            + ") PRIMARY KEY, fence BIGINT NOT NULL, commits BIGINT NOT NULL)"
                            + " ENGINE=InnoDB");
            statement.execute(
                    "INSERT IGNORE INTO "
                            + qualified(Layout.FORMAT)
                            + " VALUES (1, "
                            + Layout.FORMAT_VERSION
                            + ")");
        }
    }

    @Override
    public void createTable(Connection connection, String table) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS "
                            + qualified(Layout.sqlTable(table))
                            + " (head VARBINARY("
                            + SplitKey.HEAD_BYTES_MAX
                            + ") NOT NULL, tail_hash VARBINARY("
                            + SplitKey.HASH_BYTES
                            + ") NOT NULL, tail MEDIUMBLOB NOT NULL, value LONGBLOB NOT NULL,"
                            + " PRIMARY KEY (head, tail_hash)) ENGINE=InnoDB ROW_FORMAT=DYNAMIC");
        }
    }

    @Override
    public void get(
            Connection connection,
            String table,
            List<SplitKey> keys,
            List<byte @Nullable []> values)
            throws SQLException {
        Map<Bytes, List<Integer>> places = new HashMap<>();
        List<byte[]> heads = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            SplitKey key = keys.get(i);
            if (key.hasTail()) {
                values.set(i, SqlReads.get(connection, this, table, key));
                continue;
            }
            List<Integer> same =
                    places.computeIfAbsent(Bytes.of(key.head()), _ -> new ArrayList<>(1));
            if (same.isEmpty()) {
                heads.add(key.head());
            }
            same.add(i);
        }
        for (int from = 0; from < heads.size(); from += KEYS_MAX) {
            int to = Math.min(heads.size(), from + KEYS_MAX);
            getByHeads(connection, table, heads.subList(from, to), places, values);
        }
    }

    private void getByHeads(
            Connection connection,
            String table,
            List<byte[]> heads,
            Map<Bytes, List<Integer>> places,
            List<byte @Nullable []> values)
            throws SQLException {
        // A power of two, with the last key repeated, so that the server prepares few statements.
        int width = Integer.highestOneBit(Math.max(1, 2 * heads.size() - 1));
        String query =
                "SELECT head, value FROM "
                        + qualified(Layout.sqlTable(table))
                        + " WHERE tail_hash = '' AND head IN ("
                        + String.join(",", Collections.nCopies(width, "?"))
                        + ")";
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            for (int i = 0; i < width; i++) {
                statement.setBytes(i + 1, heads.get(Math.min(i, heads.size() - 1)));
            }
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    byte[] value = rows.getBytes(2);
                    for (int place : places.getOrDefault(Bytes.of(rows.getBytes(1)), List.of())) {
                        // Each element has its own array, which the caller owns.
                        values.set(place, value.clone());
                    }
                }
            }
        }
    }

    @Override
    public long takeFence(Connection connection, byte[] domain) throws SQLException {
        return new MariaDbTransaction(this, connection).takeFence(domain);
    }

    @Override
    public boolean transact(
            Connection connection, @Nullable Fence fence, List<TableChanges> changes)
            throws SQLException {
        return new MariaDbTransaction(this, connection).run(fence, changes);
    }
}
