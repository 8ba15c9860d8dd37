package petrichor.kv.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;

/** Queries that both databases support. One statement and one round trip each. */
final class SqlReads {
    /** A row of a page, with its key still split. */
    record PageRow(byte[] head, byte[] tail, byte[] value) {}

    private SqlReads() {}

    static byte @Nullable [] get(
            Connection connection, SqlDialect dialect, String table, SplitKey key)
            throws SQLException {
        String query =
                "SELECT value FROM "
                        + dialect.qualified(Layout.sqlTable(table))
                        + " WHERE head = ? AND tail_hash = ?";
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setBytes(1, key.head());
            statement.setBytes(2, key.tailHash());
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getBytes(1) : null;
            }
        }
    }

    /** The first rows of the range by head; rows with the same head are in no particular order. */
    static List<PageRow> page(
            Connection connection,
            SqlDialect dialect,
            String table,
            KeyRange range,
            Direction direction,
            int rows)
            throws SQLException {
        String order =
                switch (direction) {
                    case FORWARD -> " ORDER BY head, tail_hash LIMIT ?";
                    case REVERSE -> " ORDER BY head DESC, tail_hash DESC LIMIT ?";
                };
        return rows(connection, dialect, table, Bounds.of(range), order, rows);
    }

    /** The first rows of a range in which all keys have the same head, in order. */
    static List<PageRow> pageOfTails(
            Connection connection,
            SqlDialect dialect,
            String table,
            byte[] head,
            KeyRange range,
            Direction direction,
            int rows)
            throws SQLException {
        String order =
                switch (direction) {
                    case FORWARD -> " ORDER BY tail LIMIT ?";
                    case REVERSE -> " ORDER BY tail DESC LIMIT ?";
                };
        return rows(connection, dialect, table, Bounds.of(range).withHead(head), order, rows);
    }

    private static List<PageRow> rows(
            Connection connection,
            SqlDialect dialect,
            String table,
            Bounds bounds,
            String order,
            int limit)
            throws SQLException {
        String query =
                "SELECT head, tail, value FROM "
                        + dialect.qualified(Layout.sqlTable(table))
                        + " WHERE "
                        + bounds.condition()
                        + order;
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setInt(bounds.set(statement, 1), limit);
            List<PageRow> page = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    page.add(new PageRow(rows.getBytes(1), rows.getBytes(2), rows.getBytes(3)));
                }
            }
            return page;
        }
    }

    /** All tables in the schema, including foreign ones. */
    static List<String> sqlTables(Connection connection, SqlDialect dialect) throws SQLException {
        String query = "SELECT table_name FROM information_schema.tables WHERE table_schema = ?";
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setString(1, dialect.schema());
            List<String> names = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    names.add(rows.getString(1));
                }
            }
            return names;
        }
    }

    static int formatVersion(Connection connection, SqlDialect dialect) throws SQLException {
        String query = "SELECT version FROM " + dialect.qualified(Layout.FORMAT) + " WHERE one = 1";
        try (PreparedStatement statement = connection.prepareStatement(query);
                ResultSet row = statement.executeQuery()) {
            return row.next() ? row.getInt(1) : 0;
        }
    }
}
