package petrichor.kv.jdbc;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import petrichor.kv.StoreLimits;
import petrichor.kv.StoreTls;
import petrichor.kv.StoreUrl;
import petrichor.kv.jdbc.TableChanges.Row;

/**
 * PostgreSQL. Rows are stored in a dedicated schema; many rows are sent as arrays in one statement,
 * and all statements of a transaction as one message. The fence is a row that the transaction
 * locks; if its value differs, a division by zero rolls everything back.
 */
final class PostgresDialect implements SqlDialect {
    static final String SCHEME = "postgresql";

    /** The first version with plan_cache_mode. */
    private static final int VERSION_MIN = 12_00_00;

    /** Bytes of rows in one statement: an array may not be longer than 1 GiB. */
    private static final long STATEMENT_BYTES_MAX = 256L << 20;

    /** A transaction has no size limit, and those of a message cannot be configured. */
    private static final StoreLimits LIMITS =
            new StoreLimits(SqlStore.KEY_BYTES_MAX, SqlStore.VALUE_BYTES_MAX);

    private static final String DIVISION_BY_ZERO = "22012";

    /**
     * Every statement has one right plan, using the index; without statistics of a new table the
     * planner would look for others.
     */
    private static final String SESSION =
            "-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_bitmapscan=off"
                    + " -c enable_hashjoin=off -c enable_mergejoin=off -c enable_sort=off"
                    + " -c default_transaction_isolation=read\\ committed -c jit=off";

    private static final String SETTINGS =
            "SELECT version(), current_setting('server_version_num') AS number,"
                    + " pg_is_in_recovery() AS standby, current_setting('fsync') AS fsync,"
                    + " current_setting('full_page_writes') AS full_page_writes,"
                    + " current_setting('synchronous_commit') AS synchronous_commit,"
                    + " current_setting('default_transaction_read_only') AS read_only";

    private final StoreUrl url;
    private final Duration timeout;
    private final Optional<StoreTls> tls;
    private final String database;
    private final String schema;

    PostgresDialect(StoreUrl url, Duration timeout) {
        this.url = url;
        this.timeout = timeout;
        this.tls = StoreTls.of(url);
        this.database = SqlNames.required(url.name().isEmpty() ? "petrichor" : url.name());
        this.schema = SqlNames.required(url.option("schema", "petrichor"));
    }

    @Override
    public int usualPort() {
        return 5432;
    }

    @Override
    public StoreLimits limits() {
        return LIMITS;
    }

    @Override
    public String schema() {
        return schema;
    }

    @Override
    public String qualified(String sqlTable) {
        return "\"" + schema + "\".\"" + sqlTable + "\"";
    }

    @Override
    public Connection connect(StoreUrl.Node node) throws SQLException {
        String seconds = String.valueOf(Math.max(1, timeout.toSeconds() / url.nodes().size()));
        Properties properties = new Properties();
        properties.put("user", url.user().orElse("petrichor"));
        url.password().ifPresent(password -> properties.put("password", password));
        properties.put("connectTimeout", seconds);
        properties.put("loginTimeout", seconds);
        properties.put("socketTimeout", seconds);
        properties.put("options", SESSION + " -c statement_timeout=" + timeout.toMillis());
        properties.put("ApplicationName", "petrichor");
        properties.put("prepareThreshold", "1");
        properties.put("tcpKeepAlive", "true");
        tls.ifPresent(by -> TlsSockets.configure(properties, by));
        String address =
                "jdbc:postgresql://"
                        + node.host()
                        + ":"
                        + node.portOr(usualPort())
                        + "/"
                        + database;
        return connect(address, properties);
    }

    static Connection connect(String address, Properties properties) throws SQLException {
        Connection connection = new Driver().connect(address, properties);
        if (connection == null) {
            throw new SQLException("the driver does not know the address " + address, "08001");
        }
        return connection;
    }

    @Override
    public Optional<String> prepare(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SETTINGS)) {
            row.next();
            Map<String, String> settings = new HashMap<>();
            for (int column = 1; column <= row.getMetaData().getColumnCount(); column++) {
                settings.put(row.getMetaData().getColumnLabel(column), row.getString(column));
            }
            return unfit(settings);
        }
    }

    /** Why a server with these settings must not be used. */
    static Optional<String> unfit(Map<String, String> settings) {
        String version = settings.getOrDefault("version", "unknown");
        if (!version.startsWith("PostgreSQL")
                || Integer.parseInt(settings.getOrDefault("number", "0")) < VERSION_MIN) {
            return Optional.of("it is " + version + "; PostgreSQL 12 or newer is needed");
        }
        if (!"f".equals(settings.get("standby"))) {
            return Optional.of("it is a standby; point store.url at the primary server");
        }
        for (String name : List.of("fsync", "full_page_writes", "synchronous_commit")) {
            if ("off".equals(settings.get(name))) {
                return Optional.of(
                        name
                                + " is off, so that a crash would lose acknowledged writes;"
                                + " set "
                                + name
                                + " = on in postgresql.conf");
            }
        }
        if (!"off".equals(settings.get("read_only"))) {
            return Optional.of("default_transaction_read_only is on; set it to off for this user");
        }
        return Optional.empty();
    }

    @Override
    public SqlFault fault(SQLException failure) {
        String state = failure.getSQLState();
        if (state == null || failure.getCause() instanceof IOException) {
            return SqlFault.UNREACHABLE;
        }
        return switch (state) {
            case DIVISION_BY_ZERO -> SqlFault.FENCED;
            case "42P01", "3F000" -> SqlFault.NO_TABLE;
            case "40001", "40P01", "55P03" -> SqlFault.ROLLED_BACK;
            case "57P01", "57P02", "57P03" -> SqlFault.UNREACHABLE;
            case "57014" -> SqlFault.TIMEOUT;
            case "25006" -> SqlFault.READ_ONLY;
            case "3D000" -> SqlFault.NO_DATABASE;
            case "42501" -> SqlFault.DENIED;
            default ->
                    switch (state.substring(0, Math.min(2, state.length()))) {
                        case "08" -> SqlFault.UNREACHABLE;
                        case "28" -> SqlFault.AUTH_FAILED;
                        case "53" -> SqlFault.FULL;
                        default -> SqlFault.OTHER;
                    };
        };
    }

    @Override
    public void createSchema(Connection connection) throws SQLException {
        String format = qualified(Layout.FORMAT);
        // Two servers may open the same empty database at once; PostgreSQL's "if not exists" is not
        // safe against that.
        execute(
                connection,
                "BEGIN; SELECT pg_advisory_xact_lock(hashtext('petrichor "
                        + schema
                        + "')); CREATE SCHEMA IF NOT EXISTS \""
                        + schema
                        + "\"; CREATE TABLE IF NOT EXISTS "
                        + format
                        + " (one integer PRIMARY KEY CHECK (one = 1), version integer NOT NULL);"
                        + " CREATE TABLE IF NOT EXISTS "
                        + qualified(Layout.FENCES)
                        + " (domain bytea PRIMARY KEY, fence bigint NOT NULL); INSERT INTO "
                        + format
                        + " VALUES (1, "
                        + Layout.FORMAT_VERSION
                        + ") ON CONFLICT DO NOTHING; COMMIT");
    }

    @Override
    public void createTable(Connection connection, String table) throws SQLException {
        String name = qualified(Layout.sqlTable(table));
        // PLAIN: every index entry contains the head unchanged, so it must not be moved out or
        // compressed.
        execute(
                connection,
                "BEGIN; SELECT pg_advisory_xact_lock(hashtext('petrichor "
                        + schema
                        + "')); CREATE TABLE IF NOT EXISTS "
                        + name
                        + " (head bytea NOT NULL, tail_hash bytea NOT NULL, tail bytea NOT NULL,"
                        + " value bytea NOT NULL, PRIMARY KEY (head, tail_hash)); ALTER TABLE "
                        + name
                        + " ALTER COLUMN head SET STORAGE PLAIN; COMMIT");
    }

    private static void execute(Connection connection, String script) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(script);
        } catch (SQLException e) {
            rollBack(connection, e);
            throw e;
        }
    }

    @Override
    public void get(
            Connection connection,
            String table,
            List<SplitKey> keys,
            List<byte @Nullable []> values)
            throws SQLException {
        String query =
                "SELECT asked.at, value FROM unnest(?::bytea[], ?::bytea[]) WITH ORDINALITY AS"
                        + " asked(head, tail_hash, at) JOIN "
                        + qualified(Layout.sqlTable(table))
                        + " USING (head, tail_hash)";
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            setArrays(connection, statement, 1, keys);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    values.set(rows.getInt(1) - 1, rows.getBytes(2));
                }
            }
        }
    }

    @Override
    public long takeFence(Connection connection, byte[] domain) throws SQLException {
        String upsert =
                "INSERT INTO "
                        + qualified(Layout.FENCES)
                        + " AS held VALUES (?, 1) ON CONFLICT (domain) DO UPDATE SET fence ="
                        + " held.fence + 1 RETURNING fence";
        try (PreparedStatement statement = connection.prepareStatement(upsert)) {
            statement.setBytes(1, domain);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    @Override
    public boolean transact(
            Connection connection, @Nullable Fence fence, List<TableChanges> changes)
            throws SQLException {
        List<Step> steps = new ArrayList<>();
        if (changes.stream().anyMatch(table -> !table.ranges().isEmpty())) {
            steps.add(moreTime());
        }
        if (fence != null) {
            steps.add(requireFence(fence));
        }
        for (TableChanges table : changes) {
            addSteps(table, steps);
        }
        // A single statement is a transaction by itself.
        boolean alone = steps.size() == 1;
        StringJoiner script =
                alone ? new StringJoiner(";") : new StringJoiner(";", "BEGIN;", ";COMMIT");
        steps.forEach(step -> script.add(step.sql()));
        try (PreparedStatement statement = connection.prepareStatement(script.toString())) {
            int at = 1;
            for (Step step : steps) {
                at = step.parameters().set(connection, statement, at);
            }
            statement.execute();
            return true;
        } catch (SQLException e) {
            rollBack(connection, e);
            if (fault(e) == SqlFault.FENCED) {
                return false;
            }
            throw e;
        }
    }

    /** A statement of a transaction. */
    private record Step(String sql, Parameters parameters) {}

    private interface Parameters {
        /** Sets its parameters from index {@code at}; returns the index after them. */
        int set(Connection connection, PreparedStatement statement, int at) throws SQLException;
    }

    private Step moreTime() {
        long millis = timeout.toMillis() * SqlStore.RANGE_DELETE_TIMEOUTS;
        return new Step("SET LOCAL statement_timeout = " + millis, (_, _, at) -> at);
    }

    private Step requireFence(Fence fence) {
        return new Step(
                "SELECT 1 / count(*) FROM (SELECT 1 FROM "
                        + qualified(Layout.FENCES)
                        + " WHERE domain = ? AND fence = ? FOR UPDATE) AS held",
                (_, statement, at) -> {
                    statement.setBytes(at, fence.domain());
                    statement.setLong(at + 1, fence.number());
                    return at + 2;
                });
    }

    private void addSteps(TableChanges changes, List<Step> steps) {
        String table = qualified(Layout.sqlTable(changes.table()));
        for (var range : changes.ranges()) {
            Bounds bounds = Bounds.of(range);
            steps.add(
                    new Step(
                            "DELETE FROM " + table + " WHERE " + bounds.condition(),
                            (_, statement, at) -> bounds.set(statement, at)));
        }
        if (!changes.deletes().isEmpty()) {
            List<SplitKey> keys = changes.deletes().stream().map(SplitKey::of).toList();
            steps.add(
                    new Step(
                            "DELETE FROM "
                                    + table
                                    + " AS kept USING unnest(?::bytea[], ?::bytea[]) AS gone(head,"
                                    + " tail_hash) WHERE kept.head = gone.head AND kept.tail_hash ="
                                    + " gone.tail_hash",
                            (connection, statement, at) ->
                                    setArrays(connection, statement, at, keys)));
        }
        for (List<Row> rows : Chunks.of(changes.puts(), STATEMENT_BYTES_MAX)) {
            steps.add(
                    new Step(
                            "INSERT INTO "
                                    + table
                                    + " (head, tail_hash, tail, value) SELECT * FROM"
                                    + " unnest(?::bytea[], ?::bytea[], ?::bytea[], ?::bytea[]) ON"
                                    + " CONFLICT (head, tail_hash) DO UPDATE SET value ="
                                    + " excluded.value",
                            (connection, statement, at) ->
                                    setRows(connection, statement, at, rows)));
        }
    }

    private static int setArrays(
            Connection connection, PreparedStatement statement, int at, List<SplitKey> keys)
            throws SQLException {
        byte[][] heads = new byte[keys.size()][];
        byte[][] hashes = new byte[keys.size()][];
        for (int i = 0; i < heads.length; i++) {
            heads[i] = keys.get(i).head();
            hashes[i] = keys.get(i).tailHash();
        }
        setArray(connection, statement, at, heads);
        setArray(connection, statement, at + 1, hashes);
        return at + 2;
    }

    private static int setRows(
            Connection connection, PreparedStatement statement, int at, List<Row> rows)
            throws SQLException {
        List<SplitKey> keys = rows.stream().map(row -> SplitKey.of(row.key())).toList();
        int next = setArrays(connection, statement, at, keys);
        setArray(
                connection,
                statement,
                next,
                keys.stream().map(SplitKey::tail).toArray(byte[][]::new));
        setArray(
                connection,
                statement,
                next + 1,
                rows.stream().map(Row::value).toArray(byte[][]::new));
        return next + 2;
    }

    private static void setArray(
            Connection connection, PreparedStatement statement, int at, byte[][] elements)
            throws SQLException {
        statement.setArray(at, connection.createArrayOf("bytea", elements));
    }

    /** Rolls back what the failed script started; a connection on which that fails is lost. */
    private static void rollBack(Connection connection, SQLException cause) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("ROLLBACK");
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }
}
