package petrichor.sql;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** JSON as PostgreSQL writes {@code jsonb}: a space after commas and colons, short names first. */
public final class JsonForm {
    private static final Comparator<String> NAMES =
            Comparator.<String>comparingInt(name -> bytes(name).length)
                    .thenComparing(
                            (one, other) -> Arrays.compareUnsigned(bytes(one), bytes(other)));

    private JsonForm() {}

    private static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * @param json valid JSON
     */
    public static String shown(String json) {
        boolean simple = json.indexOf('{') < 0 && json.indexOf('[') < 0;
        return simple ? json : shown(JsonParser.parseString(json));
    }

    /** The text of an element. */
    public static String shown(JsonElement element) {
        StringBuilder text = new StringBuilder();
        append(text, element);
        return text.toString();
    }

    private static void append(StringBuilder text, JsonElement element) {
        if (element.isJsonArray()) {
            text.append('[');
            String separator = "";
            for (JsonElement each : element.getAsJsonArray()) {
                text.append(separator);
                append(text, each);
                separator = ", ";
            }
            text.append(']');
        } else if (element instanceof JsonObject object) {
            text.append('{');
            List<String> names = new ArrayList<>(object.keySet());
            names.sort(NAMES);
            String separator = "";
            for (String name : names) {
                text.append(separator).append(new com.google.gson.JsonPrimitive(name)).append(": ");
                append(text, object.get(name));
                separator = ", ";
            }
            text.append('}');
        } else {
            text.append(element);
        }
    }
}
