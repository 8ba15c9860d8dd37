package petrichor.client.tuples;

import com.google.gson.JsonObject;
import java.util.Optional;

/**
 * A collection and its placement.
 *
 * @param next the placement that replaces the present one; empty if none does
 * @param copied tuples that the next placement has received
 * @param failure why the last change of the placement failed; empty if it did not
 */
public record CollectionState(
        String name,
        CollectionPlacement placement,
        boolean tagIndex,
        Optional<CollectionPlacement> next,
        long copied,
        String failure) {
    static CollectionState of(JsonObject json) {
        return new CollectionState(
                json.get("name").getAsString(),
                CollectionPlacement.of(json.getAsJsonObject("placement")),
                !json.has("withoutTagIndex") || !json.get("withoutTagIndex").getAsBoolean(),
                Optional.ofNullable(json.getAsJsonObject("nextPlacement"))
                        .map(CollectionPlacement::of),
                json.has("copiedTuples") ? json.get("copiedTuples").getAsLong() : 0,
                json.has("failure") ? json.get("failure").getAsString() : "");
    }
}
