package petrichor.client.tuples;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import java.util.Base64;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A tuple that was read.
 *
 * @param tags such as {@code day=07}, or a value without a dimension
 * @param revision increases with each write of the tuple
 */
public record FoundTuple(String key, ByteString value, Set<String> tags, long revision) {
    public FoundTuple {
        tags = Set.copyOf(tags);
    }

    static FoundTuple of(JsonObject json) {
        String value = json.has("value") ? json.get("value").getAsString() : "";
        return new FoundTuple(
                json.get("key").getAsString(),
                ByteString.copyFrom(Base64.getDecoder().decode(value)),
                TuplesClient.list(json, "tags").stream()
                        .map(JsonElement::getAsString)
                        .collect(Collectors.toSet()),
                json.get("revision").getAsLong());
    }
}
