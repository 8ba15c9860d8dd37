package petrichor.kv.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import petrichor.kv.jdbc.SqlDialect.Fence;
import petrichor.kv.jdbc.TableChanges.Row;

/**
 * Stored procedures for small, frequent transactions: the server has parsed them before, and takes
 * the values as parameters. Creates one for each sequence of tables into which a few rows are put;
 * its name contains the hash of its text, so that different versions of this program do not share
 * it. A user without the privilege to create procedures works without them.
 *
 * <p>Not for a Galera cluster: the fence is only read and locked, which other nodes would not
 * notice.
 *
 * <p>Thread-safe. A failure leaves no transaction open.
 */
final class MariaDbProcedures {
    static final String PREFIX = "petrichor_commit_";

    private static final int ROWS_MAX = 8;

    /** Each value is copied once more than without a procedure. */
    private static final long BYTES_MAX = 64 << 10;

    /** How often a sequence of tables must occur before a procedure is created for it. */
    private static final int SEEN_MIN = 32;

    /** A connection caches the parsed form of each. */
    private static final int PROCEDURES_MAX = 64;

    /**
     * Server errors when nothing was done: the procedure was dropped, or belongs to another
     * version.
     */
    private static final Set<Integer> NOT_CALLED = Set.of(1305, 1370);

    /** One sequence of tables. */
    private static final class Shape {
        private final AtomicInteger seen = new AtomicInteger();
        private final String name;
        private final String body;
        private volatile boolean made;

        Shape(String name, String body) {
            this.name = name;
            this.body = body;
        }
    }

    private final MariaDbDialect dialect;
    private final Map<List<String>, Shape> shapes = new ConcurrentHashMap<>();
    private volatile boolean refused;

    MariaDbProcedures(MariaDbDialect dialect) {
        this.dialect = dialect;
    }

    /** Whether the fence matched; empty if the transaction is not suitable for a procedure. */
    Optional<Boolean> commit(Connection connection, Fence fence, List<TableChanges> changes)
            throws SQLException {
        List<String> tables = tables(changes);
        if (tables.isEmpty() || refused) {
            return Optional.empty();
        }
        Shape shape = shapes.get(tables);
        if (shape == null) {
            if (shapes.size() < PROCEDURES_MAX) {
                shapes.computeIfAbsent(tables, this::shape);
            }
            return Optional.empty();
        }
        if (!shape.made && (shape.seen.incrementAndGet() < SEEN_MIN || !make(connection, shape))) {
            return Optional.empty();
        }
        try {
            return Optional.of(call(connection, shape, fence, changes));
        } catch (SQLException failed) {
            if (!NOT_CALLED.contains(failed.getErrorCode())) {
                throw failed;
            }
            shape.made = false;
            shape.seen.set(0);
            return Optional.empty();
        }
    }

    /** The table of each row; empty unless the only changes are puts of a few short rows. */
    private static List<String> tables(List<TableChanges> changes) {
        List<String> tables = new ArrayList<>(ROWS_MAX);
        long bytes = 0;
        for (TableChanges table : changes) {
            if (!table.ranges().isEmpty() || !table.deletes().isEmpty()) {
                return List.of();
            }
            for (Row row : table.puts()) {
                bytes += row.bytes();
                if (tables.size() == ROWS_MAX
                        || bytes > BYTES_MAX
                        || row.key().length > SplitKey.HEAD_BYTES_MAX) {
                    return List.of();
                }
                tables.add(table.table());
            }
        }
        return tables;
    }

    private Shape shape(List<String> tables) {
        String body = body(tables);
        return new Shape(dialect.qualified(PREFIX + hash(body)), body);
    }

    private boolean make(Connection connection, Shape shape) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE PROCEDURE IF NOT EXISTS " + shape.name + shape.body);
            shape.made = true;
            return true;
        } catch (SQLException e) {
            refused = dialect.fault(e) != SqlFault.UNREACHABLE;
            return false;
        }
    }

    /**
     * Taking the fence changes its row, and waits for transactions that hold it; a transaction that
     * reads it then waits in turn, and finds another number.
     */
    private String body(List<String> tables) {
        StringBuilder parameters = new StringBuilder();
        StringBuilder inserts = new StringBuilder();
        for (int i = 0; i < tables.size(); i++) {
            parameters
                    .append(", p_key" + i + " VARBINARY(" + SplitKey.HEAD_BYTES_MAX + ")")
                    .append(", p_value" + i + " LONGBLOB");
            boolean first = i == 0 || !tables.get(i).equals(tables.get(i - 1));
            boolean last = i + 1 == tables.size() || !tables.get(i).equals(tables.get(i + 1));
            inserts.append(
                            first
                                    ? "INSERT INTO "
                                            + dialect.qualified(Layout.sqlTable(tables.get(i)))
                                            + " (head, tail_hash, tail, value) VALUES "
                                    : ",")
                    .append("(p_key" + i + ",'','',p_value" + i + ")")
                    .append(last ? " ON DUPLICATE KEY UPDATE value = VALUES(value); " : "");
        }
        return "(p_domain VARBINARY("
                + SplitKey.HEAD_BYTES_MAX
                + "), p_fence BIGINT"
                + parameters
                + ") SQL SECURITY INVOKER BEGIN DECLARE held INT; "
                + "DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END; "
                + "START TRANSACTION; SELECT COUNT(*) INTO held FROM "
                + dialect.qualified(Layout.FENCES)
                + " WHERE domain = p_domain AND fence = p_fence LOCK IN SHARE MODE; "
                + "IF held = 1 THEN "
                + inserts
                + "COMMIT; ELSE ROLLBACK; END IF; SELECT held; END";
    }

    private static String hash(String body) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(body.getBytes(UTF_8));
            return HexFormat.of().formatHex(hash, 0, 10);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static boolean call(
            Connection connection, Shape shape, Fence fence, List<TableChanges> changes)
            throws SQLException {
        int rows = changes.stream().mapToInt(table -> table.puts().size()).sum();
        String call = "CALL " + shape.name + "(?, ?" + ", ?, ?".repeat(rows) + ")";
        try (PreparedStatement statement = connection.prepareStatement(call)) {
            statement.setBytes(1, fence.domain());
            statement.setLong(2, fence.number());
            int at = 3;
            for (TableChanges table : changes) {
                for (Row row : table.puts()) {
                    statement.setBytes(at++, row.key());
                    statement.setBytes(at++, row.value());
                }
            }
            try (ResultSet held = statement.executeQuery()) {
                held.next();
                return held.getInt(1) == 1;
            }
        }
    }
}
