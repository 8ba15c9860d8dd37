package petrichor.kv.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import petrichor.kv.RawRows;

/**
 * A table with a key and a value, accessed by prepared statements with autocommit, on as many
 * connections as the store would use.
 */
final class JdbcRawRows implements RawRows {
    private final SqlSessions sessions;
    private final SqlDialect dialect;
    private final SqlFailures failures;
    private final Statements statements;

    /**
     * The SQL statements.
     *
     * @param create creates the table if it does not exist
     * @param put takes the key, then the value
     */
    private record Statements(String create, String get, String put, String drop) {
        static Statements of(SqlDialect dialect, boolean postgres) {
            String table = dialect.qualified(Layout.RAW);
            return new Statements(
                    "CREATE TABLE IF NOT EXISTS "
                            + table
                            + (postgres
                                    ? " (k bytea PRIMARY KEY, v bytea NOT NULL)"
                                    : " (k varbinary(255) PRIMARY KEY, v longblob NOT NULL)"),
                    "SELECT v FROM " + table + " WHERE k = ?",
                    "INSERT INTO "
                            + table
                            + " VALUES (?, ?) "
                            + (postgres
                                    ? "ON CONFLICT (k) DO UPDATE SET v = EXCLUDED.v"
                                    : "ON DUPLICATE KEY UPDATE v = VALUES(v)"),
                    "DROP TABLE IF EXISTS " + table);
        }
    }

    /**
     * @param sessions are closed with it
     */
    JdbcRawRows(SqlSessions sessions, SqlDialect dialect, String store) {
        this.sessions = sessions;
        this.dialect = dialect;
        this.failures = new SqlFailures(store);
        this.statements = Statements.of(dialect, dialect instanceof PostgresDialect);
        execute(statements.create());
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        return this.<byte @Nullable []>with(
                connection -> {
                    try (PreparedStatement get = connection.prepareStatement(statements.get())) {
                        get.setBytes(1, key);
                        try (ResultSet rows = get.executeQuery()) {
                            return rows.next() ? rows.getBytes(1) : null;
                        }
                    }
                });
    }

    @Override
    public void put(byte[] key, byte[] value) {
        with(
                connection -> {
                    try (PreparedStatement put = connection.prepareStatement(statements.put())) {
                        put.setBytes(1, key);
                        put.setBytes(2, value);
                        return put.executeUpdate();
                    }
                });
    }

    private void execute(String sql) {
        with(
                connection -> {
                    try (Statement statement = connection.createStatement()) {
                        return statement.execute(sql);
                    }
                });
    }

    private <T extends @Nullable Object> T with(SqlSessions.Work<T> work) {
        try {
            return sessions.with(work);
        } catch (SQLException failed) {
            throw failures.of(dialect.fault(failed), failed, Layout.RAW);
        }
    }

    @Override
    public void close() {
        try (sessions) {
            execute(statements.drop());
        }
    }
}
