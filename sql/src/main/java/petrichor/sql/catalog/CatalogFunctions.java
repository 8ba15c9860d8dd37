package petrichor.sql.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.h2.value.Value;
import org.jspecify.annotations.Nullable;
import petrichor.sql.SqlException;
import petrichor.sql.SqlState;
import petrichor.sql.SqlText;

/** Functions of PostgreSQL that tools call in queries of system catalogs; called by H2. */
public final class CatalogFunctions {
    private static final long ARRAY_INPUT = 750;

    private CatalogFunctions() {}

    private static CatalogState state() {
        return CatalogState.CURRENT.get();
    }

    private static CatalogState.Objects objects() {
        return state().objects();
    }

    private static List<String> path() {
        List<String> path = new ArrayList<>();
        path.add("pg_catalog");
        path.addAll(state().session().searchPath());
        return path;
    }

    // ── the session ────────────────────────────────────────────────────────

    public static String current_database() {
        return state().session().database();
    }

    public static String session_user_name() {
        return state().session().user();
    }

    /** A session holds no advisory locks. */
    public static String pg_advisory_unlock_all() {
        return "";
    }

    public static @Nullable String current_schema() {
        for (String schema : state().session().searchPath()) {
            if (objects().schemas().containsKey(schema)) {
                return schema;
            }
        }
        return null;
    }

    public static String[] current_schemas(boolean implicit) {
        List<String> found = new ArrayList<>();
        if (implicit) {
            found.add("pg_catalog");
        }
        for (String schema : state().session().searchPath()) {
            if (objects().schemas().containsKey(schema)) {
                found.add(schema);
            }
        }
        return found.toArray(String[]::new);
    }

    public static @Nullable String current_setting(@Nullable String name) {
        if (name == null) {
            return null;
        }
        String value = setting(name);
        if (value == null) {
            throw new SqlException(
                    SqlState.UNDEFINED_OBJECT,
                    "unrecognized configuration parameter \"" + name + "\"");
        }
        return value;
    }

    public static @Nullable String current_setting(@Nullable String name, boolean missing) {
        return missing && name != null ? setting(name) : current_setting(name);
    }

    private static @Nullable String setting(String name) {
        String value = state().session().setting(name);
        return value == null && name.equals("default_table_access_method") ? "heap" : value;
    }

    public static @Nullable String set_config(
            @Nullable String name, @Nullable String value, boolean onlyTransaction) {
        if (name == null) {
            return null;
        }
        state().session().set(name, value == null ? "" : value, onlyTransaction);
        return value;
    }

    public static String version() {
        return "PostgreSQL " + state().session().setting("server_version") + " (Petrichor)";
    }

    // ── names and numbers ──────────────────────────────────────────────────

    /** The number of the relation that a text names, or that is written as a number. */
    public static @Nullable Long regclass_oid(@Nullable String written) {
        if (written == null) {
            return null;
        }
        Long found = to_regclass(written);
        if (found == null) {
            throw new SqlException(
                    SqlState.UNDEFINED_TABLE, "relation \"" + written + "\" does not exist");
        }
        return found;
    }

    public static @Nullable Long to_regclass(@Nullable String written) {
        if (written == null) {
            return null;
        }
        if (!written.isEmpty() && written.chars().allMatch(Character::isDigit)) {
            return Long.parseLong(written);
        }
        List<String> parts = SqlText.names(written);
        String name = parts.getLast();
        boolean qualified = parts.size() > 1;
        if (!qualified || parts.getFirst().equals("pg_catalog")) {
            switch (name) {
                case "pg_class" -> {
                    return CatalogRows.PG_CLASS;
                }
                case "pg_type" -> {
                    return ConstantRows.PG_TYPE;
                }
                case "pg_constraint" -> {
                    return ConstantRows.PG_CONSTRAINT;
                }
                case "pg_namespace" -> {
                    return ConstantRows.PG_NAMESPACE;
                }
                case "pg_proc" -> {
                    return ConstantRows.PG_PROC;
                }
                default -> {
                    // A relation of the user.
                }
            }
        }
        List<String> path = qualified ? List.of(parts.get(parts.size() - 2)) : path();
        CatalogRows.Named named = objects().relation(path, name);
        return named == null ? null : named.oid();
    }

    /** As {@code oid::regclass} is shown. */
    public static @Nullable String regclass_name(@Nullable String written) {
        Long oid = regclass_oid(written);
        if (oid == null) {
            return null;
        }
        CatalogRows.Named named = objects().relations().get(oid);
        if (named == null) {
            return Long.toString(oid);
        }
        String name = DefinitionText.quote(named.name());
        return visible(named) ? name : DefinitionText.quote(named.schema()) + "." + name;
    }

    private static boolean visible(CatalogRows.Named named) {
        CatalogRows.Named first = objects().relation(path(), named.name());
        return first != null && first.oid() == named.oid();
    }

    public static @Nullable Long to_regtype(@Nullable String written) {
        if (written == null) {
            return null;
        }
        if (!written.isEmpty() && written.chars().allMatch(Character::isDigit)) {
            return Long.parseLong(written);
        }
        TypeNames.PgType type = objects().types().type(written.replace("\"", ""));
        return type == null ? null : type.oid();
    }

    public static @Nullable Long regtype_oid(@Nullable String written) {
        Long found = to_regtype(written);
        if (found == null && written != null) {
            throw new SqlException(
                    SqlState.UNDEFINED_OBJECT, "type \"" + written + "\" does not exist");
        }
        return found;
    }

    public static @Nullable String regtype_name(@Nullable String written) {
        return objects().types().format(regtype_oid(written), null);
    }

    public static @Nullable Long regproc_oid(@Nullable String written) {
        if (written == null) {
            return null;
        }
        return written.endsWith("array_in") ? Long.valueOf(ARRAY_INPUT) : Long.valueOf(0);
    }

    public static @Nullable String regproc_name(@Nullable String written) {
        return written == null ? null : written.equals("750") ? "array_in" : "-";
    }

    public static @Nullable Long regnamespace_oid(@Nullable String written) {
        if (written == null) {
            return null;
        }
        Long oid = objects().schemas().get(SqlText.names(written).getLast());
        if (oid == null) {
            throw new SqlException(
                    SqlState.UNDEFINED_SCHEMA, "schema \"" + written + "\" does not exist");
        }
        return oid;
    }

    public static @Nullable String regnamespace_name(@Nullable String written) {
        if (written == null || !written.chars().allMatch(Character::isDigit)) {
            return written;
        }
        return objects().schema(Long.parseLong(written));
    }

    public static @Nullable String format_type(@Nullable Long oid, @Nullable Integer modifier) {
        return objects().types().format(oid, modifier);
    }

    public static @Nullable String quote_ident(@Nullable String name) {
        return name == null ? null : DefinitionText.quote(name);
    }

    public static String pg_get_userbyid(@Nullable Long oid) {
        return oid == null || oid == CatalogRows.OWNER
                ? state().session().user()
                : "unknown (OID=" + oid + ")";
    }

    public static String pg_encoding_to_char(@Nullable Integer encoding) {
        return "UTF8";
    }

    // ── definitions ────────────────────────────────────────────────────────

    public static boolean pg_table_is_visible(@Nullable Long oid) {
        CatalogRows.Named named = oid == null ? null : objects().relations().get(oid);
        return named != null && visible(named);
    }

    public static boolean always_visible(@Nullable Long oid) {
        return true;
    }

    public static @Nullable String pg_get_expr(@Nullable String expression, @Nullable Long oid) {
        return expression;
    }

    public static @Nullable String pg_get_expr(
            @Nullable String expression, @Nullable Long oid, boolean pretty) {
        return expression;
    }

    public static @Nullable String pg_get_constraintdef(@Nullable Long oid) {
        return oid == null ? null : objects().constraints().get(oid);
    }

    public static @Nullable String pg_get_constraintdef(@Nullable Long oid, boolean pretty) {
        return pg_get_constraintdef(oid);
    }

    public static @Nullable String pg_get_indexdef(@Nullable Long oid) {
        return pg_get_indexdef(oid, 0, false);
    }

    public static @Nullable String pg_get_indexdef(
            @Nullable Long oid, @Nullable Integer column, boolean pretty) {
        List<String> texts = oid == null ? null : objects().indexes().get(oid);
        if (texts == null || column == null || column < 0 || column >= texts.size()) {
            return null;
        }
        String text = texts.get(column);
        CatalogRows.Named named = objects().relations().get(oid);
        boolean unqualified = column == 0 && pretty && named != null && visible(named);
        return unqualified ? text.replaceFirst(" ON [^.(]+\\.", " ON ") : text;
    }

    public static @Nullable String pg_get_viewdef(@Nullable String written) {
        return objects().views().get(regclass_oid(written));
    }

    public static @Nullable String pg_get_viewdef(@Nullable String written, boolean pretty) {
        return pg_get_viewdef(written);
    }

    /** The sequence of an identity column. */
    public static @Nullable String pg_get_serial_sequence(
            @Nullable String table, @Nullable String column) {
        Long oid = to_regclass(table);
        CatalogRows.Named named = oid == null ? null : objects().relations().get(oid);
        if (named == null || column == null) {
            return null;
        }
        String name = named.name() + "_" + column + "_seq";
        CatalogRows.Named found = objects().relation(List.of(named.schema()), name);
        return found == null
                ? null
                : DefinitionText.quote(found.schema()) + "." + DefinitionText.quote(name);
    }

    public static @Nullable String obj_description(@Nullable Long oid, @Nullable String catalog) {
        return col_description(oid, 0);
    }

    public static @Nullable String col_description(@Nullable Long oid, @Nullable Integer column) {
        return objects().comments().get(oid + ":" + column);
    }

    // ── what this server has none of ───────────────────────────────────────

    public static @Nullable String no_text(@Nullable Long oid) {
        return null;
    }

    public static @Nullable String no_text_in(@Nullable Long oid, @Nullable String catalog) {
        return null;
    }

    public static boolean privilege(@Nullable String object, @Nullable String right) {
        return true;
    }

    public static boolean privilege(
            @Nullable String user, @Nullable String object, @Nullable String right) {
        return true;
    }

    public static boolean no() {
        return false;
    }

    public static long zero(@Nullable Long oid) {
        return 0;
    }

    public static @Nullable String pg_size_pretty(@Nullable Long bytes) {
        return bytes == null ? null : bytes + " bytes";
    }

    public static int backend() {
        return 1;
    }

    // ── arrays and JSON ────────────────────────────────────────────────────

    public static @Nullable Integer array_upper(String @Nullable [] array, int dimension) {
        return array == null || array.length == 0 || dimension != 1
                ? null
                : Integer.valueOf(array.length);
    }

    public static @Nullable Integer array_lower(String @Nullable [] array, int dimension) {
        return array == null || array.length == 0 || dimension != 1 ? null : Integer.valueOf(1);
    }

    public static @Nullable String array_to_string(
            String @Nullable [] array, @Nullable String separator) {
        if (array == null || separator == null) {
            return null;
        }
        List<String> parts = new ArrayList<>();
        for (String part : array) {
            if (part != null) {
                parts.add(part);
            }
        }
        return String.join(separator, parts);
    }

    /** An element of a key of a constraint; positions start at 1. */
    public static @Nullable Long number_at(Long @Nullable [] array, @Nullable Integer position) {
        if (array == null || position == null) {
            return null;
        }
        boolean inside = position >= 1 && position <= array.length;
        return inside ? array[position - 1] : null;
    }

    /** An element of an int2vector, which is written with spaces; positions start at 0. */
    public static @Nullable Long vector_at(@Nullable String vector, @Nullable Integer position) {
        if (vector == null || position == null) {
            return null;
        }
        String[] parts = vector.split(" ", -1);
        boolean inside = position >= 0 && position < parts.length;
        return inside ? Long.valueOf(parts[position]) : null;
    }

    /** Elements of an array written as in PostgreSQL: {@code {a,"b"}}. */
    public static String @Nullable [] text_array(@Nullable String written) {
        if (written == null) {
            return null;
        }
        String inner = written.replaceAll("^\\{|\\}$", "").replace("\"", "");
        return inner.isEmpty() ? new String[0] : inner.split(",", -1);
    }

    /** Text of a JSON object of names and values. */
    public static String json_text(Value... namesAndValues) {
        StringBuilder text = new StringBuilder("{");
        for (int i = 0; i + 1 < namesAndValues.length; i += 2) {
            Value value = namesAndValues[i + 1];
            text.append(i == 0 ? "" : ",").append(quoted(namesAndValues[i])).append(':');
            boolean plain =
                    switch (value.getValueType()) {
                        case Value.BOOLEAN,
                                Value.SMALLINT,
                                Value.INTEGER,
                                Value.BIGINT,
                                Value.NUMERIC ->
                                true;
                        default -> false;
                    };
            if (value.getValueType() == Value.NULL) {
                text.append("null");
            } else if (plain) {
                text.append(String.valueOf(value.getString()).toLowerCase(Locale.ROOT));
            } else {
                text.append(quoted(value));
            }
        }
        return text.append('}').toString();
    }

    private static String quoted(Value value) {
        String text = String.valueOf(value.getString());
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
