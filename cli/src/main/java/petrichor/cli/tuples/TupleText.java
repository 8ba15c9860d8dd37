package petrichor.cli.tuples;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import petrichor.base.TextTable;

/** Tuples and conditions as people read and write them. */
final class TupleText {
    private static final int VALUE_CHARS_MAX = 60;

    private TupleText() {}

    static byte[] value(JsonObject tuple) {
        return tuple.has("value")
                ? Base64.getDecoder().decode(tuple.get("value").getAsString())
                : new byte[0];
    }

    /** The beginning of a value in a table: its text, or its size if it has none. */
    private static String shown(byte[] value) {
        try {
            String text =
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
            if (text.chars().noneMatch(Character::isISOControl)) {
                return text.length() <= VALUE_CHARS_MAX
                        ? text
                        : text.substring(0, VALUE_CHARS_MAX) + "…";
            }
        } catch (CharacterCodingException binary) {
            // Its size is shown.
        }
        return value.length + " bytes";
    }

    static void print(TextTable table, JsonObject tuple) {
        Map<String, String> row = new LinkedHashMap<>();
        row.put("key", tuple.get("key").getAsString());
        row.put("value", shown(value(tuple)));
        row.put(
                "tags",
                String.join(
                        " ",
                        TupleClient.list(tuple, "tags").stream()
                                .map(JsonElement::getAsString)
                                .toList()));
        table.row(row);
    }

    /** {@code dimension=value}, {@code dimension=pat*ern} or {@code dimension=first..last}. */
    static JsonArray conditions(List<String> texts) {
        JsonArray all = new JsonArray();
        for (String text : texts) {
            all.add(condition(text));
        }
        return all;
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
