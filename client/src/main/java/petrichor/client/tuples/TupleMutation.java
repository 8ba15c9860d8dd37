package petrichor.client.tuples;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import java.util.Base64;
import java.util.Set;
import java.util.TreeSet;

/** A put or a delete of one tuple, perhaps under a condition. Immutable. */
public final class TupleMutation {
    private final String key;
    private final JsonObject json;

    private TupleMutation(String key, JsonObject json) {
        this.key = key;
        this.json = json;
    }

    /** Creates or replaces a tuple. */
    public static TupleMutation put(
            String collection, String key, ByteString value, Set<String> tags) {
        JsonObject put = new JsonObject();
        put.addProperty("key", key);
        put.addProperty("value", Base64.getEncoder().encodeToString(value.toByteArray()));
        JsonArray list = new JsonArray();
        new TreeSet<>(tags).forEach(list::add);
        put.add("tags", list);
        JsonObject json = new JsonObject();
        json.addProperty("collection", collection);
        json.add("put", put);
        return new TupleMutation(key, json);
    }

    public static TupleMutation delete(String collection, String key) {
        JsonObject json = new JsonObject();
        json.addProperty("collection", collection);
        json.addProperty("delete", key);
        return new TupleMutation(key, json);
    }

    /** Only if there is no tuple with the key. */
    public TupleMutation ifAbsent() {
        JsonObject condition = new JsonObject();
        condition.addProperty("absent", true);
        return under(condition);
    }

    /** Only if there is a tuple with the key. */
    public TupleMutation ifPresent() {
        JsonObject condition = new JsonObject();
        condition.addProperty("present", true);
        return under(condition);
    }

    /** Only if the tuple with the key has this revision. */
    public TupleMutation ifRevision(long revision) {
        JsonObject condition = new JsonObject();
        condition.addProperty("revision", revision);
        return under(condition);
    }

    private TupleMutation under(JsonObject condition) {
        JsonObject conditional = json.deepCopy();
        conditional.add("condition", condition);
        return new TupleMutation(key, conditional);
    }

    public String key() {
        return key;
    }

    JsonObject json() {
        return json;
    }
}
