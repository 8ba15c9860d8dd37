package petrichor.bench.sql.tpcc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/**
 * A connection with its prepared statements, which repeats transactions that conflict. Confined to
 * one thread.
 */
final class TpccSession implements AutoCloseable {
    /** Of a transaction that conflicts; then the run fails. */
    private static final int ATTEMPTS_MAX = 10_000;

    /** Serialization failure, deadlock. */
    private static final Set<String> RETRIED = Set.of("40001", "40P01");

    private final Connection connection;
    private final LongAdder retries;
    private final Map<String, PreparedStatement> statements = new HashMap<>();

    /** One attempt of a transaction; commits or rolls back. */
    @FunctionalInterface
    interface Attempt {
        void run() throws SQLException;
    }

    TpccSession(Connection connection, LongAdder retries) throws SQLException {
        this.connection = connection;
        this.retries = retries;
        connection.setAutoCommit(false);
    }

    void commit() throws SQLException {
        connection.commit();
    }

    void rollback() throws SQLException {
        connection.rollback();
    }

    void repeat(Attempt transaction) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try {
                transaction.run();
                return;
            } catch (SQLException failed) {
                connection.rollback();
                if (!RETRIED.contains(failed.getSQLState()) || attempt == ATTEMPTS_MAX) {
                    throw failed;
                }
                retries.increment();
            }
        }
    }

    PreparedStatement statement(String sql, Object... parameters) throws SQLException {
        PreparedStatement statement = statements.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            statements.put(sql, statement);
        }
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
        return statement;
    }

    /** Positioned at its only, or first, row. */
    ResultSet row(String sql, Object... parameters) throws SQLException {
        ResultSet rows = statement(sql, parameters).executeQuery();
        if (!rows.next()) {
            throw new IllegalStateException("no row: " + sql);
        }
        return rows;
    }

    void update(int expected, String sql, Object... parameters) throws SQLException {
        int count = statement(sql, parameters).executeUpdate();
        if (count != expected) {
            throw new IllegalStateException(count + " rows, not " + expected + ": " + sql);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
