package petrichor.sql.h2;

import java.util.Map;
import org.h2.engine.Database;
import org.h2.schema.FunctionAlias;
import org.h2.schema.Schema;

/** Functions of PostgreSQL that H2 does not have, in a catalog's schema {@code pg_catalog}. */
final class SystemFunctions {
    /** Methods by the name that statements write. */
    private static final Map<String, String> JSON =
            Map.ofEntries(
                    Map.entry("operator_json_get", "get"),
                    Map.entry("operator_json_text", "getText"),
                    Map.entry("operator_json_path", "path"),
                    Map.entry("operator_json_path_text", "pathText"),
                    Map.entry("operator_json_delete", "delete"),
                    Map.entry("operator_contains", "contains"),
                    Map.entry("operator_contained", "contained"),
                    Map.entry("operator_overlaps", "overlaps"),
                    Map.entry("operator_json_exists", "exists"),
                    Map.entry("operator_json_any", "existsAny"),
                    Map.entry("operator_json_all", "existsAll"),
                    Map.entry("jsonb_build_object", "buildObject"),
                    Map.entry("json_build_object", "buildObject"),
                    Map.entry("jsonb_build_array", "buildArray"),
                    Map.entry("json_build_array", "buildArray"),
                    Map.entry("to_jsonb", "toJson"),
                    Map.entry("to_json", "toJson"),
                    Map.entry("array_to_json", "toJson"),
                    Map.entry("jsonb_set", "set"),
                    Map.entry("jsonb_strip_nulls", "stripNulls"),
                    Map.entry("json_strip_nulls", "stripNulls"),
                    Map.entry("jsonb_extract_path", "extract"),
                    Map.entry("json_extract_path", "extract"),
                    Map.entry("jsonb_extract_path_text", "extractText"),
                    Map.entry("json_extract_path_text", "extractText"),
                    Map.entry("jsonb_typeof", "typeOf"),
                    Map.entry("json_typeof", "typeOf"),
                    Map.entry("jsonb_array_length", "arrayLength"),
                    Map.entry("json_array_length", "arrayLength"),
                    Map.entry("jsonb_pretty", "pretty"));

    private static final Map<String, String> JSON_CHANGES =
            Map.of("operator_json_concat", "concat", "operator_json_remove", "remove");

    private static final Map<String, String> SCALAR =
            Map.ofEntries(
                    Map.entry("split_part", "splitPart"),
                    Map.entry("initcap", "initcap"),
                    Map.entry("md5", "md5"),
                    Map.entry("strpos", "strpos"),
                    Map.entry("starts_with", "startsWith"),
                    Map.entry("reverse", "reverse"),
                    Map.entry("quote_literal", "quoteLiteral"),
                    Map.entry("quote_ident", "quoteIdent"),
                    Map.entry("quote_nullable", "quoteNullable"),
                    Map.entry("array_to_string", "arrayToString"),
                    Map.entry("string_to_array", "stringToArray"),
                    Map.entry("operator_array_length", "arrayLength"),
                    Map.entry("operator_array_input", "arrayInput"),
                    Map.entry("array_position", "arrayPosition"),
                    Map.entry("num_nulls", "nulls"),
                    Map.entry("num_nonnulls", "nonNulls"),
                    Map.entry("cbrt", "cbrt"),
                    Map.entry("factorial", "factorial"),
                    Map.entry("div", "div"),
                    Map.entry("operator_round", "round"),
                    Map.entry("operator_rpad", "rpad"),
                    Map.entry("operator_lpad", "lpad"),
                    Map.entry("array_remove", "arrayRemove"),
                    Map.entry("array_upper", "arrayLength"),
                    Map.entry("gen_random_uuid", "uuid"),
                    Map.entry("pg_typeof", "typeName"),
                    Map.entry("text", "text"),
                    Map.entry("int4", "int4"),
                    Map.entry("int8", "int8"),
                    Map.entry("float8", "float8"));

    private static final Map<String, String> TEXT =
            Map.ofEntries(
                    Map.entry("format", "format"),
                    Map.entry("operator_regexp_replace", "regexpReplace"),
                    Map.entry("regexp_match", "regexpMatch"),
                    Map.entry("regexp_split_to_array", "regexpSplit"),
                    Map.entry("regexp_count", "regexpCount"),
                    Map.entry("operator_like", "like"),
                    Map.entry("encode", "encode"),
                    Map.entry("operator_decode", "decode"),
                    Map.entry("sha256", "sha256"),
                    Map.entry("to_hex", "toHex"),
                    Map.entry("convert_to", "convertTo"),
                    Map.entry("scale", "scale"),
                    Map.entry("min_scale", "minScale"),
                    Map.entry("trim_scale", "trimScale"),
                    Map.entry("width_bucket", "widthBucket"));

    private SystemFunctions() {}

    static void define(Database database) {
        Schema schema = database.getSchema("pg_catalog");
        add(schema, JSON, JsonFunctions.class);
        add(schema, JSON_CHANGES, JsonChanges.class);
        add(schema, SCALAR, ScalarFunctions.class);
        add(schema, TEXT, TextFunctions.class);
    }

    private static void add(Schema schema, Map<String, String> names, Class<?> methods) {
        names.forEach(
                (name, method) -> {
                    String java = methods.getName() + "." + method;
                    FunctionAlias function = FunctionAlias.newInstance(schema, 0, name, java, true);
                    function.setDeterministic(!name.equals("gen_random_uuid"));
                    schema.add(function);
                });
    }
}
