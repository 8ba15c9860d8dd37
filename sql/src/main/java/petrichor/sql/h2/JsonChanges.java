package petrichor.sql.h2;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.List;
import org.h2.value.Value;
import org.jspecify.annotations.Nullable;
import petrichor.sql.SqlException;
import petrichor.sql.SqlState;

/** PostgreSQL's operators that change JSON; called by H2. */
public final class JsonChanges {
    private JsonChanges() {}

    /** {@code ||}. A value that is neither an array nor an object is an array of itself. */
    public static @Nullable String concat(Value left, Value right) {
        if (JsonFunctions.isNull(left, right)) {
            return null;
        }
        JsonElement first = JsonFunctions.parsed(left);
        JsonElement second = JsonFunctions.parsed(right);
        if (first instanceof JsonObject object && second instanceof JsonObject members) {
            members.entrySet().forEach(member -> object.add(member.getKey(), member.getValue()));
            return object.toString();
        }
        JsonArray all = new JsonArray();
        for (JsonElement one : List.of(first, second)) {
            if (one instanceof JsonArray elements) {
                all.addAll(elements);
            } else {
                all.add(one);
            }
        }
        return all.toString();
    }

    /** {@code -}: without members, elements that are texts, or the element at a position. */
    public static @Nullable String remove(Value document, Value key) {
        if (JsonFunctions.isNull(document, key)) {
            return null;
        }
        JsonElement changed = JsonFunctions.parsed(document);
        boolean position =
                key.getValueType() == Value.INTEGER || key.getValueType() == Value.BIGINT;
        if (!(changed instanceof JsonArray) && (position || !(changed instanceof JsonObject))) {
            throw new SqlException(
                    SqlState.INVALID_PARAMETER,
                    "cannot delete from "
                            + (changed instanceof JsonObject
                                    ? "object using integer index"
                                    : "scalar"));
        }
        if (position && changed instanceof JsonArray array) {
            if (JsonFunctions.at(array, key.getInt()) != null) {
                array.remove(key.getInt() < 0 ? array.size() + key.getInt() : key.getInt());
            }
            return array.toString();
        }
        List<String> names =
                key.getValueType() == Value.ARRAY
                        ? JsonFunctions.texts(key)
                        : List.of(String.valueOf(key.getString()));
        for (String name : names) {
            switch (changed) {
                case JsonObject object -> object.remove(name);
                case JsonArray array ->
                        array.asList()
                                .removeIf(
                                        element ->
                                                element instanceof JsonPrimitive text
                                                        && text.isString()
                                                        && text.getAsString().equals(name));
                default -> {
                    // Refused above.
                }
            }
        }
        return changed.toString();
    }
}
