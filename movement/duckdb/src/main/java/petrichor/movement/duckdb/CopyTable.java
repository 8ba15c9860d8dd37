package petrichor.movement.duckdb;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A table of the copy: a kind of entities, or a table of the source.
 *
 * @param id {@code kind:NAME} or {@code table:NUMBER} of the source
 * @param columns by their names at the source
 */
record CopyTable(String id, String schema, String name, Map<String, Column> columns) {
    /** The key of the stored row. */
    static final String ROW = "__row__";

    static final String TIMESTAMPTZ = "TIMESTAMP WITH TIME ZONE";

    private static final String KIND = "kind:";
    private static final String TABLE = "table:";

    CopyTable(String id, String schema, String name) {
        this(id, schema, name, new LinkedHashMap<>());
    }

    /**
     * A column.
     *
     * @param type as DuckDB names it
     */
    record Column(String name, String type) {
        /** The value of a text. */
        String parsed(String text) {
            return switch (type) {
                case "VARCHAR" -> text;
                case "BLOB" -> "unhex(" + text + ")";
                // The source has years that DuckDB cannot store.
                case "DATE", "TIMESTAMP", TIMESTAMPTZ -> "TRY_CAST(" + text + " AS " + type + ")";
                default -> "CAST(" + text + " AS " + type + ")";
            };
        }
    }

    static String ofKind(String kind) {
        return KIND + kind;
    }

    static String ofTable(int number) {
        return TABLE + number;
    }

    boolean isKind() {
        return id.startsWith(KIND);
    }

    /** The id of the table at the source. */
    int number() {
        return Integer.parseInt(id.substring(TABLE.length()));
    }

    /** With the schema, quoted. */
    String sql() {
        return DuckFile.quoted(schema) + "." + DuckFile.quoted(name);
    }
}
