package petrichor.kv.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import petrichor.kv.jdbc.SqlDialect.Fence;
import petrichor.kv.jdbc.TableChanges.Row;

/**
 * A transaction on MariaDB: one compound statement, so one round trip, which also handles a fence
 * that does not match and a statement that fails. Small frequent transactions use a procedure
 * ({@link MariaDbProcedures}); those too large for one message are sent statement by statement.
 */
record MariaDbTransaction(MariaDbDialect dialect, Connection connection) {
    /**
     * Makes the driver insert the values into the text: the server cannot prepare compound
     * statements.
     */
    private static final String IN_ONE_MESSAGE = "/*client prepare*/";

    private static final String BEGIN =
            "BEGIN NOT ATOMIC DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;"
                    + " START TRANSACTION; ";

    /** Keys deleted by one statement. */
    private static final int KEYS_MAX = 1_000;

    /** A statement with its parameters. */
    private record Step(String sql, List<byte[]> parameters) {
        long bytes() {
            long bytes = sql.length();
            for (byte[] parameter : parameters) {
                bytes += parameter.length;
            }
            return bytes;
        }
    }

    long takeFence(byte[] domain) throws SQLException {
        String fences = dialect.qualified(Layout.FENCES);
        String script =
                IN_ONE_MESSAGE
                        + BEGIN
                        + "INSERT INTO "
                        + fences
                        + " VALUES (?, 1, 0) ON DUPLICATE KEY UPDATE fence = fence + 1; "
                        + "SELECT fence INTO @fence FROM "
                        + fences
                        + " WHERE domain = ? FOR UPDATE; COMMIT; SELECT @fence; END";
        try (PreparedStatement statement = connection.prepareStatement(script)) {
            statement.setBytes(1, domain);
            statement.setBytes(2, domain);
            return answer(statement);
        }
    }

    boolean run(@Nullable Fence fence, List<TableChanges> changes) throws SQLException {
        if (fence != null && !dialect.galera()) {
            Optional<Boolean> called = dialect.procedures().commit(connection, fence, changes);
            if (called.isPresent()) {
                return called.get();
            }
        }
        List<Step> steps = new ArrayList<>();
        for (TableChanges table : changes) {
            addSteps(table, steps);
        }
        long bytes = steps.stream().mapToLong(Step::bytes).sum();
        return bytes <= dialect.messageBytesMax()
                ? inOneMessage(fence, steps)
                : inMany(fence, steps);
    }

    private boolean inOneMessage(@Nullable Fence fence, List<Step> steps) throws SQLException {
        StringBuilder script = new StringBuilder(IN_ONE_MESSAGE).append(BEGIN);
        if (fence != null) {
            script.append(holdFence()).append("; IF ROW_COUNT() = 1 THEN ");
        }
        steps.forEach(step -> script.append(step.sql()).append("; "));
        script.append("COMMIT; SELECT 1; ");
        if (fence != null) {
            script.append("ELSE ROLLBACK; SELECT 0; END IF; ");
        }
        script.append("END");
        try (PreparedStatement statement = connection.prepareStatement(script.toString())) {
            int at = 1;
            if (fence != null) {
                at = set(fence, statement);
            }
            for (Step step : steps) {
                at = set(step, statement, at);
            }
            return answer(statement) == 1;
        }
    }

    private boolean inMany(@Nullable Fence fence, List<Step> steps) throws SQLException {
        connection.setAutoCommit(false);
        try {
            if (fence != null) {
                try (PreparedStatement statement =
                        connection.prepareStatement(IN_ONE_MESSAGE + holdFence())) {
                    set(fence, statement);
                    if (statement.executeUpdate() != 1) {
                        connection.rollback();
                        return false;
                    }
                }
            }
            for (Step step : steps) {
                try (PreparedStatement statement =
                        connection.prepareStatement(IN_ONE_MESSAGE + step.sql())) {
                    set(step, statement, 1);
                    statement.executeUpdate();
                }
            }
            connection.commit();
            return true;
        } catch (SQLException e) {
            rollBack(e);
            throw e;
        } finally {
            if (!connection.isClosed()) {
                connection.setAutoCommit(true);
            }
        }
    }

    private void rollBack(SQLException cause) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    /** A write, although reading would suffice: so that a Galera cluster certifies it. */
    private String holdFence() {
        return "UPDATE "
                + dialect.qualified(Layout.FENCES)
                + " SET commits = commits + 1 WHERE domain = ? AND fence = ?";
    }

    private static int set(Fence fence, PreparedStatement statement) throws SQLException {
        statement.setBytes(1, fence.domain());
        statement.setLong(2, fence.number());
        return 3;
    }

    private static int set(Step step, PreparedStatement statement, int at) throws SQLException {
        int next = at;
        for (byte[] parameter : step.parameters()) {
            statement.setBytes(next++, parameter);
        }
        return next;
    }

    private void addSteps(TableChanges changes, List<Step> steps) {
        String table = dialect.qualified(Layout.sqlTable(changes.table()));
        for (var range : changes.ranges()) {
            Bounds bounds = Bounds.of(range);
            steps.add(
                    new Step(
                            "DELETE FROM " + table + " WHERE " + bounds.condition(),
                            bounds.parameters()));
        }
        addDeletes(table, changes.deletes().stream().map(SplitKey::of).toList(), steps);
        for (List<Row> rows : Chunks.of(changes.puts(), dialect.messageBytesMax() / 2)) {
            steps.add(upsert(table, rows));
        }
    }

    private static void addDeletes(String table, List<SplitKey> keys, List<Step> steps) {
        List<byte[]> heads = new ArrayList<>();
        for (SplitKey key : keys) {
            if (key.hasTail()) {
                steps.add(
                        new Step(
                                "DELETE FROM " + table + " WHERE head = ? AND tail_hash = ?",
                                List.of(key.head(), key.tailHash())));
            } else {
                heads.add(key.head());
            }
        }
        for (int from = 0; from < heads.size(); from += KEYS_MAX) {
            List<byte[]> some = heads.subList(from, Math.min(heads.size(), from + KEYS_MAX));
            steps.add(
                    new Step(
                            "DELETE FROM "
                                    + table
                                    + " WHERE tail_hash = '' AND head IN ("
                                    + String.join(",", Collections.nCopies(some.size(), "?"))
                                    + ")",
                            some));
        }
    }

    private static Step upsert(String table, List<Row> rows) {
        StringJoiner places = new StringJoiner(",");
        List<byte[]> parameters = new ArrayList<>(2 * rows.size());
        for (Row row : rows) {
            SplitKey key = SplitKey.of(row.key());
            parameters.add(key.head());
            if (key.hasTail()) {
                places.add("(?,?,?,?)");
                parameters.add(key.tailHash());
                parameters.add(key.tail());
            } else {
                places.add("(?,'','',?)");
            }
            parameters.add(row.value());
        }
        return new Step(
                "INSERT INTO "
                        + table
                        + " (head, tail_hash, tail, value) VALUES "
                        + places
                        + " ON DUPLICATE KEY UPDATE value = VALUES(value)",
                parameters);
    }

    /** The number selected at the end of a compound statement. */
    private static long answer(PreparedStatement statement) throws SQLException {
        boolean rows = statement.execute();
        while (!rows && statement.getUpdateCount() != -1) {
            rows = statement.getMoreResults();
        }
        if (!rows) {
            throw new SQLException("a compound statement ended without an answer");
        }
        try (ResultSet row = statement.getResultSet()) {
            row.next();
            return row.getLong(1);
        }
    }
}
