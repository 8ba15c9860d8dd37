package petrichor.workflows;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import java.util.List;
import java.util.Optional;

/** Reads a {@link Source}. Confined to one thread. */
interface SourceReader {
    /**
     * The splits, or the progress for another turn.
     *
     * @param progress of the previous turn
     */
    record Splits(Optional<List<JsonElement>> found, Optional<JsonElement> progress) {
        static Splits of(List<JsonElement> found) {
            return new Splits(Optional.of(found), Optional.empty());
        }
    }

    Splits splits(int shards, Optional<JsonElement> progress);

    /**
     * Reads a split until the visitor returns false.
     *
     * @param position after which to read
     * @return whether the split has ended
     */
    boolean read(JsonElement split, Optional<JsonElement> position, Visitor visitor) throws Exception;

    /** Receives items. */
    @FunctionalInterface
    interface Visitor {
        boolean visit(Object item, JsonElement position) throws Exception;
    }

    static SourceReader of(Source source, Step step) {
        return switch (source.type()) {
            case ENTITIES -> new EntitySource(step.datastore(), source.kind(), source.namespace());
            case LINES -> new LineSource(StoredObjects.ofEnvironment(), source.objects());
            case ITEMS -> new ItemSource(source.items());
        };
    }

    /** Items in arguments; a split is an array of them. */
    record ItemSource(List<JsonElement> items) implements SourceReader {
        @Override
        public Splits splits(int shards, Optional<JsonElement> progress) {
            JsonArray[] splits = new JsonArray[Math.max(1, Math.min(shards, items.size()))];
            for (int i = 0; i < splits.length; i++) {
                splits[i] = new JsonArray();
            }
            for (int i = 0; i < items.size(); i++) {
                splits[i % splits.length].add(items.get(i));
            }
            return Splits.of(List.of(splits));
        }

        @Override
        public boolean read(JsonElement split, Optional<JsonElement> position, Visitor visitor) throws Exception {
            JsonArray own = split.getAsJsonArray();
            for (int number = position.map(JsonElement::getAsInt).orElse(0); number < own.size(); number++) {
                if (!visitor.visit(own.get(number), Values.encode(number + 1))) {
                    return false;
                }
            }
            return true;
        }
    }
}
