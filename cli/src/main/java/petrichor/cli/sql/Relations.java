package petrichor.cli.sql;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;

/**
 * The tables, columns, constraints and sequences of a database, from PostgreSQL's system catalogs.
 * Works with Petrichor's and PostgreSQL's servers. Confined to one thread.
 */
final class Relations {
    /**
     * A table, view or sequence.
     *
     * @param kind as in pg_class: r table, v view, S sequence, i index
     */
    record Relation(long id, String schema, String name, char kind) {
        /** The name as it is written in a statement. */
        String sql() {
            return quoted(schema) + "." + quoted(name);
        }
    }

    /**
     * A column.
     *
     * @param type as it is written in a statement
     * @param identity a always, d by default, empty none
     * @param standard the expression of its default value, or empty
     */
    record TableColumn(
            String name, String type, boolean required, String identity, String standard) {}

    /**
     * A constraint.
     *
     * @param kind as in pg_constraint: p primary key, u unique, c check, f foreign key
     * @param refers the table that a foreign key refers to, or 0
     */
    record Constraint(String name, char kind, String definition, long refers) {}

    /** An index that belongs to no constraint, or to one. */
    record Index(String name, String definition, boolean ofConstraint) {}

    /** A sequence. */
    record Sequence(
            String schema,
            String name,
            String type,
            String start,
            String least,
            String greatest,
            String increment,
            boolean cycles) {}

    private static final String USER_SCHEMAS =
            " n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg_%'";

    private static final Pattern UNLIMITED = Pattern.compile("(?i)\\bAS DECFLOAT\\b");

    private final BaseConnection connection;

    Relations(BaseConnection connection) {
        this.connection = connection;
    }

    /** An identifier in double quotes, if it needs them. */
    static String quoted(String name) {
        return name.matches("[a-z_][a-z0-9_]*") && !Keywords.isReserved(name)
                ? name
                : "\"" + name.replace("\"", "\"\"") + "\"";
    }

    static String literal(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    /** Reads one value of a row. */
    @FunctionalInterface
    private interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private <T> List<T> query(String sql, RowReader<T> reader, Object... parameters)
            throws SQLException {
        List<T> all = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    all.add(reader.read(rows));
                }
            }
        }
        return all;
    }

    /** All tables, views, sequences and indexes outside the system's schemas. */
    List<Relation> all() throws SQLException {
        return query(
                "SELECT c.oid, n.nspname, c.relname, c.relkind FROM pg_catalog.pg_class c JOIN"
                        + " pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE"
                        + USER_SCHEMAS
                        + " ORDER BY n.nspname, c.relname",
                row ->
                        new Relation(
                                row.getLong(1),
                                row.getString(2),
                                row.getString(3),
                                row.getString(4).charAt(0)));
    }

    List<String> schemas() throws SQLException {
        return query(
                "SELECT n.nspname FROM pg_catalog.pg_namespace n WHERE"
                        + USER_SCHEMAS
                        + " ORDER BY 1",
                row -> row.getString(1));
    }

    List<TableColumn> columns(Relation table) throws SQLException {
        return query(
                "SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull,"
                        + " a.attidentity, (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid) FROM"
                        + " pg_catalog.pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum ="
                        + " a.attnum AND a.atthasdef) FROM pg_catalog.pg_attribute a WHERE"
                        + " a.attrelid = "
                        + table.id()
                        + " AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
                row ->
                        new TableColumn(
                                row.getString(1),
                                row.getString(2),
                                row.getBoolean(3),
                                orEmpty(row.getString(4)),
                                portable(row.getString(5))));
    }

    List<Constraint> constraints(Relation table) throws SQLException {
        return query(
                "SELECT conname, contype, pg_catalog.pg_get_constraintdef(oid), confrelid FROM"
                        + " pg_catalog.pg_constraint WHERE conrelid = "
                        + table.id()
                        + " AND contype IN ('p', 'u', 'c', 'f') ORDER BY conname",
                row ->
                        new Constraint(
                                row.getString(1),
                                row.getString(2).charAt(0),
                                portable(row.getString(3)),
                                row.getLong(4)));
    }

    List<Index> indexes(Relation table) throws SQLException {
        List<String> ofConstraints =
                constraints(table).stream()
                        .filter(one -> one.kind() == 'p' || one.kind() == 'u')
                        .map(Constraint::name)
                        .toList();
        return query(
                "SELECT c.relname, pg_catalog.pg_get_indexdef(i.indexrelid) FROM"
                        + " pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid ="
                        + " i.indexrelid WHERE i.indrelid = "
                        + table.id()
                        + " ORDER BY c.relname",
                row ->
                        new Index(
                                row.getString(1),
                                row.getString(2),
                                ofConstraints.contains(row.getString(1))));
    }

    String viewQuery(Relation view) throws SQLException {
        return query(
                        "SELECT definition FROM pg_catalog.pg_views WHERE schemaname = "
                                + literal(view.schema())
                                + " AND viewname = "
                                + literal(view.name()),
                        row -> portable(row.getString(1)))
                .getFirst();
    }

    List<Sequence> sequences() throws SQLException {
        return query(
                "SELECT schemaname, sequencename, data_type, start_value, min_value, max_value,"
                        + " increment_by, cycle FROM pg_catalog.pg_sequences ORDER BY"
                        + " schemaname, sequencename",
                row ->
                        new Sequence(
                                row.getString(1),
                                row.getString(2),
                                row.getString(3),
                                row.getString(4),
                                row.getString(5),
                                row.getString(6),
                                row.getString(7),
                                row.getBoolean(8)));
    }

    /** H2's name of numbers without limits is unknown to PostgreSQL; both know numeric. */
    private static String portable(@Nullable String expression) {
        return UNLIMITED.matcher(orEmpty(expression)).replaceAll("AS numeric");
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }
}
