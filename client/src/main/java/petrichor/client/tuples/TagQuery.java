package petrichor.client.tuples;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;

/**
 * Conditions on tags: {@code day=07}, {@code user=an*}, {@code day=01..07}, or {@code hot} for a
 * tag without a dimension. Immutable.
 *
 * @param all of which a tuple meets each
 * @param any of which it meets at least one, if there are any
 */
public record TagQuery(List<String> all, List<String> any) {
    public TagQuery {
        all = List.copyOf(all);
        any = List.copyOf(any);
    }

    public static TagQuery all(String... conditions) {
        return new TagQuery(List.of(conditions), List.of());
    }

    public static TagQuery any(String... conditions) {
        return new TagQuery(List.of(), List.of(conditions));
    }

    /** The same conditions, and these of which a tuple meets at least one. */
    public TagQuery andAny(String... conditions) {
        List<String> more = new ArrayList<>(any);
        more.addAll(List.of(conditions));
        return new TagQuery(all, more);
    }

    JsonObject json() {
        JsonObject json = new JsonObject();
        json.add("all", list(all));
        json.add("any", list(any));
        return json;
    }

    private static JsonArray list(List<String> conditions) {
        JsonArray list = new JsonArray();
        conditions.forEach(one -> list.add(condition(one)));
        return list;
    }

    private static JsonObject condition(String text) {
        int equals = text.indexOf('=');
        String value = text.substring(equals + 1);
        JsonObject condition = new JsonObject();
        condition.addProperty("dimension", equals < 0 ? "" : text.substring(0, equals));
        int dots = value.indexOf("..");
        if (dots > 0 && dots + 2 < value.length()) {
            JsonObject range = new JsonObject();
            range.addProperty("first", value.substring(0, dots));
            range.addProperty("last", value.substring(dots + 2));
            condition.add("range", range);
        } else {
            condition.addProperty(value.contains("*") ? "pattern" : "value", value);
        }
        return condition;
    }
}
