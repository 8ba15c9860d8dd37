package petrichor.bench.drivers.stores;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.ds.PGSimpleDataSource;
import petrichor.bench.drivers.RawRows;
import petrichor.kv.StoreUrl;

/**
 * A table with a key and a value in PostgreSQL or MariaDB, accessed by prepared statements with
 * autocommit, on as many connections as the store would use. They are opened first; a call takes
 * the one that was used last.
 */
final class JdbcRawRows implements RawRows {
    private static final int POSTGRES_PORT = 5432;
    private static final int MARIADB_PORT = 3306;
    private static final int CONNECTIONS = 32;
    private static final String USER = "petrichor";
    private static final String TABLE = "petrichor_raw";

    private final List<Connection> connections = new ArrayList<>();
    private final BlockingDeque<Session> free = new LinkedBlockingDeque<>();
    private final Statements statements;

    /**
     * The SQL statements.
     *
     * @param create creates the table if it does not exist
     * @param put takes the key, then the value
     */
    private record Statements(String create, String get, String put, String drop) {
        static Statements of(String table, String columns, String update) {
            return new Statements(
                    "CREATE TABLE IF NOT EXISTS " + table + columns,
                    "SELECT v FROM " + table + " WHERE k = ?",
                    "INSERT INTO " + table + " VALUES (?, ?) " + update,
                    "DROP TABLE IF EXISTS " + table);
        }
    }

    /** A connection with its prepared statements, used by one thread at a time. */
    private record Session(PreparedStatement get, PreparedStatement put) {}

    private interface Request<T extends @Nullable Object> {
        T on(Session session) throws SQLException;
    }

    private JdbcRawRows(Statements statements) {
        this.statements = statements;
    }

    static JdbcRawRows openPostgres(StoreUrl url) {
        int seconds = Math.max(1, BareDrivers.timeoutMs(url) / 1000);
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(url.nodes().stream().map(StoreUrl.Node::host).toArray(String[]::new));
        source.setPortNumbers(
                url.nodes().stream().mapToInt(node -> node.portOr(POSTGRES_PORT)).toArray());
        source.setTargetServerType("primary");
        source.setDatabaseName(BareDrivers.name(url));
        source.setUser(url.user().orElse(USER));
        source.setPassword(url.password().orElse(""));
        source.setConnectTimeout(seconds);
        source.setSocketTimeout(seconds);
        return open(
                url,
                source,
                Statements.of(
                        "\"" + url.option("schema", "petrichor") + "\"." + TABLE,
                        " (k bytea PRIMARY KEY, v bytea NOT NULL)",
                        "ON CONFLICT (k) DO UPDATE SET v = EXCLUDED.v"));
    }

    static JdbcRawRows openMariaDb(StoreUrl url) {
        int timeoutMs = BareDrivers.timeoutMs(url);
        try {
            MariaDbDataSource source =
                    new MariaDbDataSource(
                            "jdbc:mariadb:sequential://"
                                    + String.join(
                                            ",",
                                            url.nodes().stream()
                                                    .map(
                                                            node ->
                                                                    node.host()
                                                                            + ":"
                                                                            + node.portOr(
                                                                                    MARIADB_PORT))
                                                    .toList())
                                    + "/"
                                    + BareDrivers.name(url)
                                    + "?useServerPrepStmts=true&connectTimeout="
                                    + timeoutMs
                                    + "&socketTimeout="
                                    + timeoutMs);
            source.setUser(url.user().orElse(USER));
            source.setPassword(url.password().orElse(""));
            return open(
                    url,
                    source,
                    Statements.of(
                            TABLE,
                            " (k varbinary(255) PRIMARY KEY, v longblob NOT NULL)",
                            "ON DUPLICATE KEY UPDATE v = VALUES(v)"));
        } catch (SQLException refused) {
            throw new IllegalStateException(refused);
        }
    }

    private static JdbcRawRows open(StoreUrl url, DataSource source, Statements statements) {
        JdbcRawRows rows = new JdbcRawRows(statements);
        try {
            rows.connect(
                    source,
                    Integer.parseInt(url.option("connections", String.valueOf(CONNECTIONS))));
            return rows;
        } catch (SQLException failed) {
            rows.disconnect();
            throw new IllegalStateException(failed);
        }
    }

    private void connect(DataSource source, int count) throws SQLException {
        for (int i = 0; i < count; i++) {
            Connection connection = source.getConnection();
            connections.add(connection);
            if (i == 0) {
                execute(connection, statements.create());
            }
            free.add(
                    new Session(
                            connection.prepareStatement(statements.get()),
                            connection.prepareStatement(statements.put())));
        }
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        return this.<byte @Nullable []>with(
                session -> {
                    session.get().setBytes(1, key);
                    try (ResultSet rows = session.get().executeQuery()) {
                        return rows.next() ? rows.getBytes(1) : null;
                    }
                });
    }

    @Override
    public void put(byte[] key, byte[] value) {
        with(
                session -> {
                    session.put().setBytes(1, key);
                    session.put().setBytes(2, value);
                    return session.put().executeUpdate();
                });
    }

    private <T extends @Nullable Object> T with(Request<T> request) {
        Session session;
        try {
            session = free.takeFirst();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
        try {
            return request.on(session);
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        } finally {
            free.addFirst(session);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() {
        try {
            execute(connections.getFirst(), statements.drop());
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        } finally {
            disconnect();
        }
    }

    private void disconnect() {
        for (Connection connection : connections) {
            try {
                connection.close();
            } catch (SQLException lost) {
                // The rows are removed, or the failure is reported.
            }
        }
    }
}
