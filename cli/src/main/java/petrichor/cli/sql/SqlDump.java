package petrichor.cli.sql;

import java.io.IOException;
import java.io.PrintStream;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.cli.sql.Relations.Constraint;
import petrichor.cli.sql.Relations.Index;
import petrichor.cli.sql.Relations.Relation;
import petrichor.cli.sql.Relations.Sequence;
import petrichor.cli.sql.Relations.TableColumn;

/**
 * Writes a database as SQL text that Petrichor and PostgreSQL 15 accept, from one snapshot:
 * schemas, sequences, tables in the order of their foreign keys, rows as {@code COPY}, indexes and
 * views. Kinds of entities are left out; {@code petrichor export} writes them. Confined to one
 * thread.
 */
public final class SqlDump {
    private static final String ENTITIES = "entities";

    /** What is written of a table. */
    public enum Part {
        SCHEMA,
        DATA
    }

    private final BaseConnection connection;
    private final Relations relations;
    private final Set<Part> parts;
    private final PrintStream out;
    private final Map<String, String> nextNumbers = new HashMap<>();

    /**
     * @param out not closed
     */
    public SqlDump(BaseConnection connection, Set<Part> parts, PrintStream out) {
        this.connection = connection;
        this.relations = new Relations(connection);
        this.parts = Set.copyOf(parts);
        this.out = out;
    }

    /** Numbers of what was written. */
    public record Summary(long tables, long rows) {}

    /**
     * Writes the tables.
     *
     * @param names empty for all tables, sequences and views
     * @throws PetrichorException NOT_FOUND for an unknown table
     */
    public Summary write(List<String> names) throws IOException {
        try {
            if (names.isEmpty() && parts.contains(Part.DATA)) {
                findNextNumbers();
            }
            connection.setAutoCommit(false);
            try (Statement begin = connection.createStatement()) {
                begin.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
            }
            Summary summary = write(relations.all(), names);
            connection.commit();
            return summary;
        } catch (SQLException failed) {
            SqlFailure failure = SqlFailure.of(failed, "");
            throw PetrichorException.of(
                    failure.endsConnection() ? ErrorCode.UNAVAILABLE : ErrorCode.INTERNAL,
                    "the server refused the dump with {sqlState}: {reason}",
                    "sqlState",
                    failure.sqlState(),
                    "reason",
                    failure.text());
        }
    }

    private Summary write(List<Relation> all, List<String> names) throws SQLException, IOException {
        List<Relation> own = all.stream().filter(one -> !isOfEntities(one)).toList();
        List<Relation> chosen = names.isEmpty() ? own : chosen(own, names);
        List<Relation> tables = inOrder(chosen.stream().filter(one -> one.kind() == 'r').toList());
        out.println("-- Written by petrichor sql dump.");
        out.println("SET client_encoding = 'UTF8';");
        if (parts.contains(Part.SCHEMA)) {
            if (names.isEmpty()) {
                schemas();
                sequences(all);
            }
            for (Relation table : tables) {
                table(table, tables);
            }
        }
        long rows = 0;
        if (parts.contains(Part.DATA)) {
            for (Relation table : tables) {
                rows += rows(table);
            }
            for (Relation table : tables) {
                identities(table);
            }
            if (names.isEmpty()) {
                positions(all);
            }
        }
        if (parts.contains(Part.SCHEMA)) {
            for (Relation table : tables) {
                later(table, tables);
            }
            for (Relation view : chosen) {
                if (view.kind() == 'v') {
                    out.println();
                    out.println(
                            "CREATE VIEW "
                                    + view.sql()
                                    + " AS "
                                    + relations.viewQuery(view).strip().replaceFirst(";$", "")
                                    + ";");
                }
            }
        }
        if (out.checkError()) {
            throw new IOException("the dump cannot be written: is the disk full?");
        }
        return new Summary(tables.size(), rows);
    }

    private static boolean isOfEntities(Relation one) {
        return one.schema().equals(ENTITIES) || one.schema().startsWith(ENTITIES + ":");
    }

    private static List<Relation> chosen(List<Relation> own, List<String> names) {
        List<Relation> chosen = new ArrayList<>();
        for (String name : names) {
            Optional<Relation> found = Descriptions.named(own, name);
            chosen.add(
                    found.orElseThrow(
                            () ->
                                    PetrichorException.of(
                                            ErrorCode.NOT_FOUND,
                                            "there is no table {table}",
                                            "table",
                                            name)));
        }
        return chosen;
    }

    /** Tables behind those that they refer to, where there is no cycle. */
    private List<Relation> inOrder(List<Relation> tables) throws SQLException {
        Set<Relation> ordered = new LinkedHashSet<>();
        Set<Relation> left = new LinkedHashSet<>(tables);
        while (!left.isEmpty()) {
            Set<Relation> free = new LinkedHashSet<>();
            for (Relation table : left) {
                boolean waits = false;
                for (Constraint rule : relations.constraints(table)) {
                    waits |=
                            left.stream()
                                    .anyMatch(
                                            one ->
                                                    one.id() == rule.refers()
                                                            && one.id() != table.id());
                }
                if (!waits) {
                    free.add(table);
                }
            }
            // Foreign keys of a cycle are added behind the rows.
            ordered.addAll(free.isEmpty() ? left : free);
            left.removeAll(free.isEmpty() ? Set.copyOf(left) : free);
        }
        return List.copyOf(ordered);
    }

    private void schemas() throws SQLException {
        for (String schema : relations.schemas()) {
            if (!schema.equals("public")
                    && !schema.equals(ENTITIES)
                    && !schema.startsWith(ENTITIES + ":")) {
                out.println("CREATE SCHEMA " + Relations.quoted(schema) + ";");
            }
        }
    }

    /** Sequences that belong to no identity column. */
    private List<Sequence> free(List<Relation> all) throws SQLException {
        Set<String> owned = new LinkedHashSet<>();
        for (Relation table : all) {
            if (table.kind() == 'r' && !isOfEntities(table)) {
                for (TableColumn column : relations.columns(table)) {
                    String sequence =
                            column.identity().isEmpty() && !column.standard().contains("nextval")
                                    ? null
                                    : sequenceOf(table, column);
                    if (sequence != null) {
                        owned.add(sequence);
                    }
                }
            }
        }
        return relations.sequences().stream().filter(one -> !owned.contains(name(one))).toList();
    }

    private @Nullable String sequenceOf(Relation table, TableColumn column) throws SQLException {
        return value(
                "SELECT pg_catalog.pg_get_serial_sequence("
                        + Relations.literal(table.sql())
                        + ", "
                        + Relations.literal(column.name())
                        + ")");
    }

    private @Nullable String value(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : null;
        }
    }

    private void sequences(List<Relation> all) throws SQLException {
        for (Sequence one : free(all)) {
            out.println(
                    "CREATE SEQUENCE "
                            + name(one)
                            + " START WITH "
                            + one.start()
                            + " INCREMENT BY "
                            + one.increment()
                            + " MINVALUE "
                            + one.least()
                            + " MAXVALUE "
                            + one.greatest()
                            + (one.cycles() ? " CYCLE" : "")
                            + ";");
        }
    }

    private void positions(List<Relation> all) throws SQLException {
        for (Sequence one : free(all)) {
            String next = nextNumbers.get(name(one));
            if (next != null) {
                out.println("ALTER SEQUENCE " + name(one) + " RESTART WITH " + next + ";");
            }
        }
    }

    private static String name(Sequence one) {
        return Relations.quoted(one.schema()) + "." + Relations.quoted(one.name());
    }

    /**
     * Finds where sequences continue. Petrichor's servers allocate blocks of numbers and do not
     * report the last one: taking a number shows that all later ones are free.
     */
    private void findNextNumbers() throws SQLException {
        boolean blocks = String.valueOf(value("SELECT version()")).contains("Petrichor");
        for (Sequence one : free(relations.all())) {
            String number =
                    value(
                            blocks
                                    ? "SELECT nextval(" + Relations.literal(name(one)) + ")"
                                    : "SELECT last_value - CASE WHEN is_called THEN 0 ELSE "
                                            + one.increment()
                                            + " END FROM "
                                            + name(one));
            if (number != null) {
                long next = Long.parseLong(number) + Long.parseLong(one.increment());
                nextNumbers.put(name(one), Long.toString(next));
            }
        }
    }

    private void table(Relation table, List<Relation> order) throws SQLException {
        List<String> lines = new ArrayList<>();
        for (TableColumn column : relations.columns(table)) {
            lines.add("    " + definition(table, column));
        }
        for (Constraint rule : relations.constraints(table)) {
            if (isEarly(rule, table, order)) {
                lines.add(
                        "    CONSTRAINT "
                                + Relations.quoted(rule.name())
                                + " "
                                + rule.definition());
            }
        }
        out.println();
        out.println("CREATE TABLE " + table.sql() + " (");
        out.println(String.join(",\n", lines));
        out.println(");");
    }

    /** Whether the constraint is part of the table's definition, as what it refers to exists. */
    private static boolean isEarly(Constraint rule, Relation table, List<Relation> order) {
        return rule.kind() != 'f'
                || order.stream()
                        .takeWhile(one -> one.id() != table.id())
                        .anyMatch(one -> one.id() == rule.refers());
    }

    private String definition(Relation table, TableColumn column) throws SQLException {
        String text = Relations.quoted(column.name()) + " " + column.type();
        boolean serial =
                column.standard().startsWith("nextval(") && sequenceOf(table, column) != null;
        if (!column.identity().isEmpty() || serial) {
            return text
                    + " GENERATED "
                    + (column.identity().equals("a") ? "ALWAYS" : "BY DEFAULT")
                    + " AS IDENTITY";
        }
        return text
                + (column.standard().isEmpty() ? "" : " DEFAULT " + column.standard())
                + (column.required() ? " NOT NULL" : "");
    }

    private long rows(Relation table) throws SQLException, IOException {
        List<String> columns =
                relations.columns(table).stream()
                        .map(column -> Relations.quoted(column.name()))
                        .toList();
        String place = table.sql() + " (" + String.join(", ", columns) + ")";
        out.println();
        CopyBlocks blocks = new CopyBlocks(out, "COPY " + place + " FROM stdin;");
        long rows = new CopyManager(connection).copyOut("COPY " + place + " TO STDOUT", blocks);
        blocks.end();
        return rows;
    }

    /** The next generated values follow those in the rows. */
    private void identities(Relation table) throws SQLException {
        for (TableColumn column : relations.columns(table)) {
            boolean serial = column.standard().startsWith("nextval(");
            if (column.identity().isEmpty() && !(serial && sequenceOf(table, column) != null)) {
                continue;
            }
            String greatest =
                    value(
                            "SELECT max("
                                    + Relations.quoted(column.name())
                                    + ") FROM "
                                    + table.sql());
            if (greatest != null && Long.parseLong(greatest) > 0) {
                out.println(
                        "ALTER TABLE "
                                + table.sql()
                                + " ALTER COLUMN "
                                + Relations.quoted(column.name())
                                + " RESTART WITH "
                                + (Long.parseLong(greatest) + 1)
                                + ";");
            }
        }
    }

    /** Indexes, and foreign keys of cycles and of a table to itself. */
    private void later(Relation table, List<Relation> order) throws SQLException {
        for (Index index : relations.indexes(table)) {
            if (!index.ofConstraint()) {
                out.println(index.definition() + ";");
            }
        }
        for (Constraint rule : relations.constraints(table)) {
            if (!isEarly(rule, table, order)
                    && order.stream().anyMatch(one -> one.id() == rule.refers())) {
                out.println(
                        "ALTER TABLE "
                                + table.sql()
                                + " ADD CONSTRAINT "
                                + Relations.quoted(rule.name())
                                + " "
                                + rule.definition()
                                + ";");
            }
        }
    }
}
