package petrichor.movement.duckdb;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a copy and what they are at the source, stored in the schema {@code petrichor} of
 * the file. DuckDB ignores the case of names, the source does not: a name that differs only in case
 * from another one gets a number. Belongs to one transaction of a file.
 */
final class CopyCatalog {
    /** Properties of a kind beyond these are not copied as columns. */
    static final int COLUMNS_MAX = 1_000;

    private static final Set<String> RESERVED =
            Set.of("main", "temp", "system", "pg_catalog", "information_schema", "petrichor");

    private final DuckFile file;
    private final Map<String, CopyTable> tables = new LinkedHashMap<>();

    private record Stored(String source, CopyTable.Column column) {}

    private CopyCatalog(DuckFile file) {
        this.file = file;
    }

    static CopyCatalog read(DuckFile file) {
        file.run("CREATE SCHEMA IF NOT EXISTS petrichor");
        file.run(
                "CREATE TABLE IF NOT EXISTS petrichor.tables (id VARCHAR, schema_name VARCHAR,"
                        + " table_name VARCHAR, changed BIGINT)");
        file.run(
                "CREATE TABLE IF NOT EXISTS petrichor.columns (id VARCHAR, source VARCHAR,"
                        + " column_name VARCHAR, type VARCHAR)");
        CopyCatalog catalog = new CopyCatalog(file);
        for (CopyTable table :
                file.query(
                        "SELECT id, schema_name, table_name FROM petrichor.tables",
                        row ->
                                new CopyTable(
                                        row.getString(1), row.getString(2), row.getString(3)))) {
            catalog.tables.put(table.id(), table);
        }
        for (CopyTable table : catalog.tables.values()) {
            for (Stored column :
                    file.query(
                            "SELECT source, column_name, type FROM petrichor.columns WHERE id = "
                                    + DuckFile.literal(table.id()),
                            row ->
                                    new Stored(
                                            row.getString(1),
                                            new CopyTable.Column(
                                                    row.getString(2), row.getString(3))))) {
                table.columns().put(column.source, column.column);
            }
        }
        return catalog;
    }

    List<CopyTable> all() {
        return List.copyOf(tables.values());
    }

    @Nullable CopyTable find(String id) {
        return tables.get(id);
    }

    /** Creates the table with its first columns. */
    CopyTable create(String id, String schema, String name, Map<String, String> types) {
        String home =
                id.startsWith("table:") && RESERVED.contains(schema.toLowerCase(Locale.ROOT))
                        ? schema + "_tables"
                        : schema;
        List<String> taken =
                tables.values().stream()
                        .filter(table -> table.schema().equalsIgnoreCase(home))
                        .map(CopyTable::name)
                        .toList();
        CopyTable table = new CopyTable(id, home, free(name, taken));
        file.run("CREATE SCHEMA IF NOT EXISTS " + DuckFile.quoted(home));
        file.run("CREATE TABLE " + table.sql() + " (" + CopyTable.ROW + " BLOB)");
        file.run(
                "INSERT INTO petrichor.tables VALUES (?, ?, ?, 0)",
                id,
                table.schema(),
                table.name());
        tables.put(id, table);
        types.forEach((source, type) -> addColumn(table, source, type, "NULL"));
        return table;
    }

    /**
     * @param missing value of the present rows, as an expression
     */
    void addColumn(CopyTable table, String source, String type, String missing) {
        List<String> taken = new ArrayList<>(List.of(CopyTable.ROW));
        table.columns().values().forEach(column -> taken.add(column.name()));
        String name =
                table.isKind() && !EntityCells.isOwn(source) ? EntityCells.nameOf(source) : source;
        CopyTable.Column column = new CopyTable.Column(free(name, taken), type);
        file.run(
                "ALTER TABLE "
                        + table.sql()
                        + " ADD COLUMN "
                        + DuckFile.quoted(column.name())
                        + " "
                        + type
                        + " DEFAULT "
                        + missing);
        file.run(
                "INSERT INTO petrichor.columns VALUES (?, ?, ?, ?)",
                table.id(),
                source,
                column.name(),
                type);
        table.columns().put(source, column);
    }

    /**
     * @param using expression of the new value; {@code $} is the column
     */
    void changeType(CopyTable table, String source, String type, String using) {
        CopyTable.Column former = Objects.requireNonNull(table.columns().get(source));
        String name = DuckFile.quoted(former.name());
        file.run(
                "ALTER TABLE "
                        + table.sql()
                        + " ALTER COLUMN "
                        + name
                        + " SET DATA TYPE "
                        + type
                        + " USING "
                        + using.replace("$", name));
        file.run(
                "UPDATE petrichor.columns SET type = ? WHERE id = ? AND source = ?",
                type,
                table.id(),
                source);
        table.columns().put(source, new CopyTable.Column(former.name(), type));
    }

    void dropColumn(CopyTable table, String source) {
        CopyTable.Column column = Objects.requireNonNull(table.columns().remove(source));
        file.run("ALTER TABLE " + table.sql() + " DROP COLUMN " + DuckFile.quoted(column.name()));
        file.run("DELETE FROM petrichor.columns WHERE id = ? AND source = ?", table.id(), source);
    }

    void drop(CopyTable table) {
        file.run("DROP TABLE " + table.sql());
        file.run("DELETE FROM petrichor.tables WHERE id = ?", table.id());
        file.run("DELETE FROM petrichor.columns WHERE id = ?", table.id());
        tables.remove(table.id());
    }

    void changed(CopyTable table, long position) {
        file.run("UPDATE petrichor.tables SET changed = ? WHERE id = ?", position, table.id());
    }

    private static String free(String name, List<String> taken) {
        String free = name;
        for (int i = 2; containsIgnoringCase(taken, free); i++) {
            free = name + "_" + i;
        }
        return free;
    }

    private static boolean containsIgnoringCase(List<String> names, String name) {
        return names.stream().anyMatch(name::equalsIgnoreCase);
    }
}
