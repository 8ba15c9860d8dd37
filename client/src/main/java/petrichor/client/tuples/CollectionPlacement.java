package petrichor.client.tuples;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;

/**
 * Which tuples of a collection are stored together.
 *
 * <p>See docs/start/tuples.md for what each placement is good for.
 */
public sealed interface CollectionPlacement {
    /**
     * By a hash of the key.
     *
     * @param buckets 1 to 256; 0 for the server's default
     */
    record Random(int buckets) implements CollectionPlacement {}

    /** By the key. */
    record Ordered() implements CollectionPlacement {}

    /**
     * Along Hilbert's curve over the values of tags.
     *
     * @param dimensions 2 to 4, in each of which a tuple has at most one tag
     * @param bits of each dimension; 0 for the server's default
     */
    record Tagged(List<String> dimensions, int bits) implements CollectionPlacement {
        public Tagged {
            dimensions = List.copyOf(dimensions);
        }
    }

    /**
     * By a group that is assigned to the part of the key before the separator.
     *
     * @param separator empty for the server's default
     * @param groups 0 for the server's default
     */
    record Affinity(String separator, int groups) implements CollectionPlacement {}

    /**
     * Beside the tuple of another collection whose key is the part of the key before the separator.
     *
     * @param separator empty for the server's default
     */
    record Colocated(String collection, String separator) implements CollectionPlacement {}

    /** As the REST API has it. */
    default JsonObject json() {
        JsonObject fields = new JsonObject();
        String strategy =
                switch (this) {
                    case Random(int buckets) -> {
                        fields.addProperty("buckets", buckets);
                        yield "random";
                    }
                    case Ordered() -> "ordered";
                    case Tagged(List<String> dimensions, int bits) -> {
                        JsonArray names = new JsonArray();
                        dimensions.forEach(names::add);
                        fields.add("dimensions", names);
                        fields.addProperty("bits", bits);
                        yield "tagged";
                    }
                    case Affinity(String separator, int groups) -> {
                        fields.addProperty("separator", separator);
                        fields.addProperty("groups", groups);
                        yield "affinity";
                    }
                    case Colocated(String collection, String separator) -> {
                        fields.addProperty("collection", collection);
                        fields.addProperty("separator", separator);
                        yield "colocated";
                    }
                };
        JsonObject placement = new JsonObject();
        placement.add(strategy, fields);
        return placement;
    }

    /** UNIMPLEMENTED if this client does not know the placement. */
    static CollectionPlacement of(JsonObject placement) {
        String strategy = placement.keySet().iterator().next();
        JsonObject fields = placement.getAsJsonObject(strategy);
        return switch (strategy) {
            case "ordered" -> new Ordered();
            case "tagged" ->
                    new Tagged(
                            TuplesClient.list(fields, "dimensions").stream()
                                    .map(name -> name.getAsString())
                                    .toList(),
                            number(fields, "bits"));
            case "affinity" -> new Affinity(text(fields, "separator"), number(fields, "groups"));
            case "colocated" ->
                    new Colocated(text(fields, "collection"), text(fields, "separator"));
            case "random" -> new Random(number(fields, "buckets"));
            default -> throw TuplesClient.unknown("placement", strategy);
        };
    }

    private static int number(JsonObject fields, String name) {
        return fields.has(name) ? fields.get(name).getAsInt() : 0;
    }

    private static String text(JsonObject fields, String name) {
        return fields.has(name) ? fields.get(name).getAsString() : "";
    }
}
