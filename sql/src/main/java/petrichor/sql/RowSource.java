package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The table of a function that returns rows.
 *
 * @param columns that it has without arguments and numbers
 * @param arguments expressions of its arguments
 */
record RowSource(String name, List<String> columns, List<String> arguments) {
    private static final String TIMESTAMP = "TIMESTAMP";
    private static final String TIMESTAMPTZ = "TIMESTAMP WITH TIME ZONE";

    /** Null if the function has another number of arguments. */
    static @Nullable RowSource of(
            String function, List<String> arguments, Predicate<String> hasWord) {
        return switch (function) {
            case "GENERATE_SERIES" -> series(arguments, hasWord);
            case "UNNEST" ->
                    arguments.size() != 1
                            ? null
                            : new RowSource(
                                    "operator_rows_series",
                                    List.of(""),
                                    List.of("1", "CARDINALITY(" + arguments.getFirst() + ")", "1"));
            case "REGEXP_SPLIT_TO_TABLE" -> texts("operator_rows_split", arguments);
            case "STRING_TO_TABLE" -> fields(arguments);
            case "JSONB_ARRAY_ELEMENTS", "JSON_ARRAY_ELEMENTS" ->
                    json("operator_rows_json_elements", List.of("value"), arguments);
            case "JSONB_ARRAY_ELEMENTS_TEXT", "JSON_ARRAY_ELEMENTS_TEXT" ->
                    json("operator_rows_json_elements_text", List.of("value"), arguments);
            case "JSONB_EACH", "JSON_EACH" ->
                    json("operator_rows_json_each", List.of("key", "value"), arguments);
            case "JSONB_EACH_TEXT", "JSON_EACH_TEXT" ->
                    json("operator_rows_json_each_text", List.of("key", "value"), arguments);
            case "JSONB_OBJECT_KEYS", "JSON_OBJECT_KEYS" ->
                    json("operator_rows_json_keys", List.of(""), arguments);
            default -> null;
        };
    }

    private static @Nullable RowSource texts(String name, List<String> arguments) {
        return arguments.size() == 2 ? new RowSource(name, List.of(""), arguments) : null;
    }

    /** Without a separator, its characters. */
    private static @Nullable RowSource fields(List<String> arguments) {
        boolean characters = arguments.size() == 2 && arguments.get(1).equalsIgnoreCase("NULL");
        return characters
                ? texts("operator_rows_split", List.of(arguments.getFirst(), "''"))
                : texts("operator_rows_fields", arguments);
    }

    private static @Nullable RowSource json(
            String name, List<String> columns, List<String> arguments) {
        if (arguments.size() != 1) {
            return null;
        }
        String document = arguments.getFirst();
        boolean literal = SqlToken.of(document).size() == 1 && document.startsWith("'");
        return new RowSource(
                name, columns, List.of(literal ? "(" + document + " FORMAT JSON)" : document));
    }

    private static @Nullable RowSource series(List<String> arguments, Predicate<String> hasWord) {
        if (arguments.size() < 2 || arguments.size() > 3) {
            return null;
        }
        if (!hasWord.test("INTERVAL")) {
            List<String> numbers = new ArrayList<>(arguments);
            if (numbers.size() == 2) {
                numbers.add("1");
            }
            return new RowSource("operator_rows_series", List.of(""), numbers);
        }
        boolean zoned =
                List.of("DATE", "TIMESTAMPTZ", "CURRENT_TIMESTAMP", "CURRENT_DATE", "ZONE").stream()
                        .anyMatch(hasWord);
        String type = zoned ? TIMESTAMPTZ : TIMESTAMP;
        return arguments.size() != 3
                ? null
                : new RowSource(
                        zoned
                                ? "operator_rows_timestamptz_series"
                                : "operator_rows_timestamp_series",
                        List.of(""),
                        List.of(
                                "CAST(" + arguments.get(0) + " AS " + type + ")",
                                "CAST(" + arguments.get(1) + " AS " + type + ")",
                                "CAST(" + arguments.get(2) + " AS VARCHAR)"));
    }

    /** Names of all columns of the table. */
    List<String> columns(String alias, List<String> listed) {
        List<String> names = new ArrayList<>();
        for (String column : columns) {
            boolean own = names.size() < listed.size();
            names.add(own ? listed.get(names.size()) : column.isEmpty() ? alias : column);
        }
        boolean number = listed.size() > columns.size();
        names.add(number ? listed.get(columns.size()) : "ordinality");
        for (int i = 0; i < arguments.size(); i++) {
            names.add(argument(i));
        }
        return names;
    }

    private static String argument(int index) {
        return "argument_" + index;
    }

    String condition(String alias) {
        List<String> conditions = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            conditions.add(alias + "." + argument(i) + " = (" + arguments.get(i) + ")");
        }
        return String.join(" AND ", conditions);
    }
}
