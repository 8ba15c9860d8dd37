package petrichor.workflows;

import com.google.cloud.datastore.Key;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Arguments, progress and outputs as JSON: what Gson can write, such as texts, numbers, lists, maps
 * and records; also keys of Datastore, classes, and futures.
 * Names that begin with {@code $} are reserved.
 */
final class Values {
    /** An entity has at most 1 MiB. */
    static final int BYTES_MAX = 500_000;

    private static final Gson GSON =
            new GsonBuilder()
                    .serializeNulls()
                    .disableHtmlEscaping()
                    .registerTypeHierarchyAdapter(Key.class, new KeyAdapter())
                    .registerTypeHierarchyAdapter(Class.class, new ClassAdapter())
                    .create();

    private Values() {}

    static JsonElement encode(Object value) {
        return GSON.toJsonTree(value);
    }

    /** The text of a value, if it can be stored. */
    static String text(Object value) {
        String text = GSON.toJson(value);
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > BYTES_MAX) {
            throw new Abort(
                    "a value of "
                            + bytes
                            + " bytes is larger than "
                            + BYTES_MAX
                            + ": store entities, and pass keys");
        }
        return text;
    }

    static JsonElement parse(String text) {
        return JsonParser.parseString(text);
    }

    static <T> T decode(JsonElement value, Type type) {
        return GSON.fromJson(value, type);
    }

    /** The steps to whose outputs a value refers. */
    static Set<String> references(JsonElement value) {
        Set<String> found = new TreeSet<>();
        visit(value, found);
        return found;
    }

    private static void visit(JsonElement value, Set<String> found) {
        if (value.isJsonArray()) {
            value.getAsJsonArray().forEach(item -> visit(item, found));
        } else if (isFuture(value)) {
            found.add(value.getAsJsonObject().get(Future.NAME).getAsString());
        } else if (value.isJsonObject()) {
            value.getAsJsonObject().asMap().values().forEach(item -> visit(item, found));
        }
    }

    private static boolean isFuture(JsonElement value) {
        return value.isJsonObject() && value.getAsJsonObject().has(Future.NAME);
    }

    /** The value with outputs instead of futures. */
    static JsonElement resolved(JsonElement value, Map<String, JsonElement> outputs) {
        if (value.isJsonArray()) {
            JsonArray items = new JsonArray();
            value.getAsJsonArray().forEach(item -> items.add(resolved(item, outputs)));
            return items;
        }
        if (isFuture(value)) {
            Future future = decode(value, Future.class);
            JsonElement output = outputs.get(future.step());
            for (String name : future.path()) {
                output = output.isJsonObject() ? output.getAsJsonObject().get(name) : null;
                if (output == null) {
                    throw new Abort("the output of " + future.step() + " has no " + name);
                }
            }
            return output;
        }
        if (value.isJsonObject()) {
            JsonObject items = new JsonObject();
            value.getAsJsonObject().asMap().forEach((name, item) -> items.add(name, resolved(item, outputs)));
            return items;
        }
        return value;
    }

    /** {@code {"NAME": "text"}}. */
    private abstract static class NamedText<T> extends TypeAdapter<T> {
        private final String name;

        NamedText(String name) {
            this.name = name;
        }

        abstract String text(T value);

        abstract T value(String text) throws IOException;

        @Override
        public void write(JsonWriter out, T value) throws IOException {
            if (value == null) {
                out.nullValue();
            } else {
                out.beginObject().name(name).value(text(value)).endObject();
            }
        }

        @Override
        public T read(JsonReader in) throws IOException {
            if (in.peek() == JsonToken.NULL) {
                in.nextNull();
                return null;
            }
            in.beginObject();
            in.nextName();
            T value = value(in.nextString());
            in.endObject();
            return value;
        }
    }

    private static final class KeyAdapter extends NamedText<Key> {
        KeyAdapter() {
            super("$key");
        }

        @Override
        String text(Key key) {
            return key.toUrlSafe();
        }

        @Override
        Key value(String text) {
            return Key.fromUrlSafe(text);
        }
    }

    private static final class ClassAdapter extends NamedText<Class<?>> {
        ClassAdapter() {
            super("$name");
        }

        @Override
        String text(Class<?> type) {
            return type.getName();
        }

        @Override
        Class<?> value(String text) {
            return Instances.named(text);
        }
    }
}
