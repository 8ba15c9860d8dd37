package petrichor.sql.catalog;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.tables.ColumnType;

/** PostgreSQL's types: numbers, names, modifiers. Immutable. */
final class TypeNames {
    private static final int MODIFIER_HEADER = 4;

    private static final Map<String, String> SQL_NAMES =
            Map.ofEntries(
                    Map.entry("bool", "boolean"),
                    Map.entry("int2", "smallint"),
                    Map.entry("int4", "integer"),
                    Map.entry("int8", "bigint"),
                    Map.entry("float4", "real"),
                    Map.entry("float8", "double precision"),
                    Map.entry("bpchar", "character"),
                    Map.entry("varchar", "character varying"),
                    Map.entry("char", "\"char\""),
                    Map.entry("time", "time without time zone"),
                    Map.entry("timetz", "time with time zone"),
                    Map.entry("timestamp", "timestamp without time zone"),
                    Map.entry("timestamptz", "timestamp with time zone"),
                    Map.entry("bit", "bit"));

    /** A row of pg_type. */
    record PgType(long oid, String name, List<String> fields) {
        String field(int index) {
            return fields.get(index);
        }

        long element() {
            return Long.parseLong(field(9));
        }

        long array() {
            return Long.parseLong(field(10));
        }

        boolean isArray() {
            return name.startsWith("_");
        }
    }

    private final Map<Long, PgType> byOid = new HashMap<>();
    private final Map<String, PgType> byName = new HashMap<>();
    private final List<PgType> types = new ArrayList<>();

    TypeNames() {
        for (String line : lines("types.txt")) {
            List<String> fields = List.of(line.split("\\|", -1));
            PgType type = new PgType(Long.parseLong(fields.get(0)), fields.get(1), fields);
            types.add(type);
            byOid.put(type.oid(), type);
            byName.put(type.name(), type);
        }
    }

    static List<String> lines(String resource) {
        InputStream stream = TypeNames.class.getResourceAsStream(resource);
        if (stream == null) {
            throw new IllegalStateException("missing resource " + resource);
        }
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            return reader.lines().toList();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    List<PgType> types() {
        return types;
    }

    @Nullable PgType type(long oid) {
        return byOid.get(oid);
    }

    /** By a name as in SQL, such as {@code integer}, {@code _int4}, {@code varchar(10)[]}. */
    @Nullable PgType type(String written) {
        String name = written.strip().toLowerCase(Locale.ROOT).replaceAll("\\s*\\(.*?\\)", "");
        if (name.startsWith("pg_catalog.")) {
            name = name.substring("pg_catalog.".length());
        }
        if (name.endsWith("[]")) {
            PgType element = type(name.substring(0, name.length() - 2));
            return element == null ? null : byOid.get(element.array());
        }
        PgType known = byName.get(name);
        if (known != null) {
            return known;
        }
        for (Map.Entry<String, String> entry : SQL_NAMES.entrySet()) {
            if (entry.getValue().equals(name)) {
                return byName.get(entry.getKey());
            }
        }
        return switch (name) {
            case "int" -> byName.get("int4");
            case "decimal" -> byName.get("numeric");
            case "char" -> byName.get("bpchar");
            case "float" -> byName.get("float8");
            default -> null;
        };
    }

    long oid(ColumnType type) {
        ColumnType element = type.element();
        if (element != null) {
            PgType of = byOid.get(oid(element));
            return of == null ? 0 : of.array();
        }
        return switch (type.type()) {
            case BOOLEAN -> 16;
            case SMALLINT -> 21;
            case INTEGER -> 23;
            case BIGINT -> 20;
            case NUMERIC -> 1700;
            case REAL -> 700;
            case DOUBLE -> 701;
            case CHAR -> 1042;
            case VARCHAR -> 1043;
            case TEXT, UNKNOWN, ARRAY -> 25;
            case BYTEA -> 17;
            case DATE -> 1082;
            case TIME -> 1083;
            case TIMETZ -> 1266;
            case TIMESTAMP -> 1114;
            case TIMESTAMPTZ -> 1184;
            case INTERVAL -> 1186;
            case UUID -> 2950;
            case JSON -> 3802;
        };
    }

    /** The type modifier of a column; -1 if there is none. */
    static int modifier(ColumnType type) {
        if (type.length() < 0) {
            return -1;
        }
        return switch (type.type()) {
            case CHAR, VARCHAR -> type.length() + MODIFIER_HEADER;
            case NUMERIC -> ((type.length() << 16) | type.scale()) + MODIFIER_HEADER;
            case TIME, TIMETZ, TIMESTAMP, TIMESTAMPTZ -> type.length() == 6 ? -1 : type.length();
            case BOOLEAN,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    REAL,
                    DOUBLE,
                    TEXT,
                    BYTEA,
                    DATE,
                    INTERVAL,
                    UUID,
                    JSON,
                    ARRAY,
                    UNKNOWN ->
                    -1;
        };
    }

    /** What {@code format_type} returns; null for a null type. */
    @Nullable String format(@Nullable Long oid, @Nullable Integer modifier) {
        if (oid == null) {
            return null;
        }
        if (oid == 0) {
            return "-";
        }
        PgType type = byOid.get(oid);
        if (type == null) {
            return "???";
        }
        if (type.isArray() && type.element() != 0) {
            return format(type.element(), modifier) + "[]";
        }
        String name = SQL_NAMES.getOrDefault(type.name(), type.name());
        if (modifier == null || modifier < 0) {
            return name;
        }
        return switch (type.name()) {
            case "varchar", "bpchar" -> name + "(" + (modifier - MODIFIER_HEADER) + ")";
            case "numeric" -> {
                int packed = modifier - MODIFIER_HEADER;
                yield name + "(" + (packed >> 16) + "," + (packed & 0xffff) + ")";
            }
            case "time", "timetz", "timestamp", "timestamptz" ->
                    name.replaceFirst("^(time|timestamp)", "$1(" + modifier + ")");
            default -> name;
        };
    }
}
