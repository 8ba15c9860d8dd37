package petrichor.sql.h2;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.h2.value.Value;
import org.h2.value.ValueArray;
import org.h2.value.ValueJson;
import org.jspecify.annotations.Nullable;
import petrichor.sql.JsonForm;
import petrichor.sql.SqlException;
import petrichor.sql.SqlState;

/**
 * PostgreSQL's operators and functions of JSON and of containment in arrays; called by H2, with the
 * names that {@code JsonSyntax} writes. JSON is returned as text. A text in the place of JSON is
 * read as JSON.
 */
public final class JsonFunctions {
    private JsonFunctions() {}

    static JsonElement parsed(Value value) {
        ValueJson json = value instanceof ValueJson known ? known : json(value);
        return JsonParser.parseString(json.getString());
    }

    private static ValueJson json(Value value) {
        return ValueJson.fromJson(String.valueOf(value.getString()));
    }

    static boolean isNull(Value... values) {
        return Arrays.stream(values).anyMatch(value -> value.getValueType() == Value.NULL);
    }

    /** A value of SQL as JSON. */
    private static JsonElement converted(Value value) {
        return switch (value.getValueType()) {
            case Value.NULL -> JsonNull.INSTANCE;
            case Value.JSON -> parsed(value);
            case Value.BOOLEAN -> new JsonPrimitive(value.getBoolean());
            case Value.TINYINT, Value.SMALLINT, Value.INTEGER, Value.BIGINT ->
                    new JsonPrimitive(value.getLong());
            case Value.NUMERIC, Value.DECFLOAT -> new JsonPrimitive(value.getBigDecimal());
            case Value.REAL, Value.DOUBLE -> new JsonPrimitive(value.getDouble());
            case Value.ARRAY -> {
                JsonArray array = new JsonArray();
                for (Value element : ((ValueArray) value).getList()) {
                    array.add(converted(element));
                }
                yield array;
            }
            case Value.TIMESTAMP ->
                    new JsonPrimitive(String.valueOf(value.getString()).replace(' ', 'T'));
            default -> new JsonPrimitive(String.valueOf(value.getString()));
        };
    }

    private static @Nullable String text(@Nullable JsonElement element) {
        if (element == null || element.isJsonNull()) {
            return null;
        }
        return element.isJsonPrimitive() ? element.getAsString() : JsonForm.shown(element);
    }

    private static @Nullable String shown(@Nullable JsonElement element) {
        return element == null ? null : element.toString();
    }

    private static @Nullable JsonElement member(@Nullable JsonElement element, Value key) {
        boolean number =
                switch (key.getValueType()) {
                    case Value.TINYINT, Value.SMALLINT, Value.INTEGER, Value.BIGINT -> true;
                    default -> false;
                };
        if (element instanceof JsonArray array && number) {
            return at(array, key.getInt());
        }
        return element instanceof JsonObject object && !number
                ? object.get(String.valueOf(key.getString()))
                : null;
    }

    static @Nullable JsonElement at(JsonArray array, int position) {
        int index = position < 0 ? array.size() + position : position;
        return index >= 0 && index < array.size() ? array.get(index) : null;
    }

    /** A step of a path: a name, or a position in an array. */
    private static @Nullable JsonElement step(@Nullable JsonElement element, String step) {
        if (element instanceof JsonArray array) {
            return step.matches("-?[0-9]{1,9}") ? at(array, Integer.parseInt(step)) : null;
        }
        return element instanceof JsonObject object ? object.get(step) : null;
    }

    /** Texts of an array, or of one that is written {@code {a,b}}. */
    static List<String> texts(Value value) {
        List<String> texts = new ArrayList<>();
        if (value instanceof ValueArray array) {
            for (Value element : array.getList()) {
                texts.add(String.valueOf(element.getString()));
            }
            return texts;
        }
        String written = String.valueOf(value.getString()).strip();
        if (!written.startsWith("{") || !written.endsWith("}")) {
            throw new SqlException(
                    SqlState.INVALID_TEXT, "malformed array literal: \"" + written + "\"");
        }
        String inner = written.substring(1, written.length() - 1);
        for (String part : inner.isBlank() ? new String[0] : inner.split(",", -1)) {
            texts.add(part.strip().replaceAll("^\"|\"$", ""));
        }
        return texts;
    }

    private static @Nullable JsonElement follow(JsonElement start, List<String> path) {
        JsonElement element = start;
        for (String step : path) {
            element = step(element, step);
        }
        return element;
    }

    // ── operators ──────────────────────────────────────────────────────────

    /** {@code ->}. */
    public static @Nullable String get(Value document, Value key) {
        return isNull(document, key) ? null : shown(member(parsed(document), key));
    }

    /** {@code ->>}. */
    public static @Nullable String getText(Value document, Value key) {
        return isNull(document, key) ? null : text(member(parsed(document), key));
    }

    /** {@code #>}. */
    public static @Nullable String path(Value document, Value path) {
        return isNull(document, path) ? null : shown(follow(parsed(document), texts(path)));
    }

    /** {@code #>>}. */
    public static @Nullable String pathText(Value document, Value path) {
        return isNull(document, path) ? null : text(follow(parsed(document), texts(path)));
    }

    /** {@code #-}. */
    public static @Nullable String delete(Value document, Value path) {
        if (isNull(document, path)) {
            return null;
        }
        JsonElement changed = parsed(document);
        List<String> steps = texts(path);
        if (!steps.isEmpty()) {
            String last = steps.getLast();
            JsonElement parent = follow(changed, steps.subList(0, steps.size() - 1));
            if (parent instanceof JsonObject object) {
                object.remove(last);
            } else if (parent instanceof JsonArray array && at(array, position(last)) != null) {
                int position = position(last);
                array.remove(position < 0 ? array.size() + position : position);
            }
        }
        return changed.toString();
    }

    private static int position(String step) {
        if (!step.matches("-?[0-9]{1,9}")) {
            throw new SqlException(
                    SqlState.INVALID_TEXT, "path element is not an integer: \"" + step + "\"");
        }
        return Integer.parseInt(step);
    }

    /** {@code @>}, of JSON or of arrays. */
    public static @Nullable Boolean contains(Value whole, Value part) {
        if (isNull(whole, part)) {
            return null;
        }
        if (whole instanceof ValueArray || part instanceof ValueArray) {
            List<String> texts = texts(whole);
            return texts.containsAll(texts(part));
        }
        JsonElement outer = parsed(whole);
        JsonElement inner = parsed(part);
        boolean element =
                outer instanceof JsonArray array
                        && inner.isJsonPrimitive()
                        && contains(array, inner);
        return element || contains(outer, inner);
    }

    /** {@code <@}. */
    public static @Nullable Boolean contained(Value part, Value whole) {
        return contains(whole, part);
    }

    private static boolean contains(JsonArray array, JsonElement element) {
        for (JsonElement each : array) {
            if (contains(each, element)) {
                return true;
            }
        }
        return false;
    }

    private static boolean contains(JsonElement whole, JsonElement part) {
        if (whole instanceof JsonObject outer && part instanceof JsonObject inner) {
            for (Map.Entry<String, JsonElement> entry : inner.entrySet()) {
                JsonElement found = outer.get(entry.getKey());
                if (found == null || !contains(found, entry.getValue())) {
                    return false;
                }
            }
            return true;
        }
        if (whole instanceof JsonArray outer && part instanceof JsonArray inner) {
            for (JsonElement each : inner) {
                if (!contains(outer, each)) {
                    return false;
                }
            }
            return true;
        }
        return same(whole, part);
    }

    private static boolean same(JsonElement left, JsonElement right) {
        boolean numbers =
                left instanceof JsonPrimitive a
                        && right instanceof JsonPrimitive b
                        && a.isNumber()
                        && b.isNumber();
        return numbers
                ? left.getAsBigDecimal().compareTo(right.getAsBigDecimal()) == 0
                : left.equals(right);
    }

    /** {@code &&} of arrays. */
    public static @Nullable Boolean overlaps(Value left, Value right) {
        if (isNull(left, right)) {
            return null;
        }
        List<String> texts = texts(left);
        return texts(right).stream().anyMatch(texts::contains);
    }

    private static boolean exists(JsonElement element, String key) {
        return switch (element) {
            case JsonObject object -> object.has(key);
            case JsonArray array -> array.contains(new JsonPrimitive(key));
            default -> element.equals(new JsonPrimitive(key));
        };
    }

    /** {@code ?}. */
    public static @Nullable Boolean exists(Value document, Value key) {
        return isNull(document, key)
                ? null
                : (Boolean) exists(parsed(document), String.valueOf(key.getString()));
    }

    /** {@code ?|}. */
    public static @Nullable Boolean existsAny(Value document, Value keys) {
        if (isNull(document, keys)) {
            return null;
        }
        JsonElement element = parsed(document);
        return texts(keys).stream().anyMatch(key -> exists(element, key));
    }

    /** {@code ?&}. */
    public static @Nullable Boolean existsAll(Value document, Value keys) {
        if (isNull(document, keys)) {
            return null;
        }
        JsonElement element = parsed(document);
        return texts(keys).stream().allMatch(key -> exists(element, key));
    }

    // ── functions ──────────────────────────────────────────────────────────

    public static String buildObject(Value... namesAndValues) {
        if (namesAndValues.length % 2 != 0) {
            throw new SqlException(
                    SqlState.INVALID_PARAMETER,
                    "argument list must have even number of elements",
                    "The arguments are names and values in turn.",
                    0,
                    null);
        }
        JsonObject object = new JsonObject();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            if (isNull(namesAndValues[i])) {
                throw new SqlException(
                        SqlState.INVALID_PARAMETER,
                        "argument " + (i + 1) + ": key must not be null");
            }
            object.add(
                    String.valueOf(namesAndValues[i].getString()),
                    converted(namesAndValues[i + 1]));
        }
        return object.toString();
    }

    public static String buildArray(Value... values) {
        JsonArray array = new JsonArray();
        for (Value value : values) {
            array.add(converted(value));
        }
        return array.toString();
    }

    public static @Nullable String toJson(Value value) {
        return isNull(value) ? null : converted(value).toString();
    }

    public static @Nullable String set(Value document, Value path, Value value) {
        return set(document, path, value, true);
    }

    public static @Nullable String set(Value document, Value path, Value value, boolean create) {
        if (isNull(document, path, value)) {
            return null;
        }
        JsonElement changed = parsed(document);
        List<String> steps = texts(path);
        if (steps.isEmpty()) {
            return changed.toString();
        }
        String last = steps.getLast();
        JsonElement parent = follow(changed, steps.subList(0, steps.size() - 1));
        JsonElement element = parsed(value);
        if (parent instanceof JsonObject object && (create || object.has(last))) {
            object.add(last, element);
        } else if (parent instanceof JsonArray array) {
            int position = position(last);
            int index = position < 0 ? array.size() + position : position;
            if (index >= 0 && index < array.size()) {
                array.set(index, element);
            } else if (create && index >= 0) {
                array.add(element);
            } else if (create) {
                JsonArray all = new JsonArray();
                all.add(element);
                all.addAll(array);
                while (!array.isEmpty()) {
                    array.remove(0);
                }
                array.addAll(all);
            }
        }
        return changed.toString();
    }

    public static @Nullable String stripNulls(Value document) {
        return isNull(document) ? null : stripped(parsed(document)).toString();
    }

    private static JsonElement stripped(JsonElement element) {
        return switch (element) {
            case JsonObject object -> {
                JsonObject kept = new JsonObject();
                object.entrySet().stream()
                        .filter(entry -> !entry.getValue().isJsonNull())
                        .forEach(entry -> kept.add(entry.getKey(), stripped(entry.getValue())));
                yield kept;
            }
            case JsonArray array -> {
                JsonArray kept = new JsonArray();
                array.forEach(each -> kept.add(stripped(each)));
                yield kept;
            }
            default -> element;
        };
    }

    public static @Nullable String extract(Value document, Value... path) {
        if (isNull(document) || isNull(path)) {
            return null;
        }
        List<String> steps =
                Arrays.stream(path).map(step -> String.valueOf(step.getString())).toList();
        return shown(follow(parsed(document), steps));
    }

    public static @Nullable String extractText(Value document, Value... path) {
        if (isNull(document) || isNull(path)) {
            return null;
        }
        List<String> steps =
                Arrays.stream(path).map(step -> String.valueOf(step.getString())).toList();
        return text(follow(parsed(document), steps));
    }

    public static @Nullable String typeOf(Value document) {
        if (isNull(document)) {
            return null;
        }
        return switch (parsed(document)) {
            case JsonObject _ -> "object";
            case JsonArray _ -> "array";
            case JsonPrimitive value ->
                    value.isBoolean() ? "boolean" : value.isNumber() ? "number" : "string";
            default -> "null";
        };
    }

    public static @Nullable Integer arrayLength(Value document) {
        if (isNull(document)) {
            return null;
        }
        return switch (parsed(document)) {
            case JsonArray array -> array.size();
            case JsonObject _ ->
                    throw new SqlException(
                            SqlState.INVALID_PARAMETER, "cannot get array length of a non-array");
            default ->
                    throw new SqlException(
                            SqlState.INVALID_PARAMETER, "cannot get array length of a scalar");
        };
    }

    public static @Nullable String pretty(Value document) {
        return isNull(document)
                ? null
                : new GsonBuilder()
                        .setPrettyPrinting()
                        .serializeNulls()
                        .disableHtmlEscaping()
                        .create()
                        .toJson(parsed(document))
                        .replace("  ", "    ");
    }
}
