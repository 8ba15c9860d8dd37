package petrichor.workflows;

import com.google.gson.JsonElement;
import java.util.List;

/**
 * The input of a {@link MapReduce}. It is divided into splits, and a split can be read from any
 * position in it, so that a turn continues where the previous one has ended.
 *
 * <p>A source is an argument of steps and therefore data; {@link SourceReader} reads it.
 *
 * @param type of the source; the other components belong to one type each
 * @param items of {@code items}
 * @param objects of {@code lines}
 * @param kind of {@code entities}, with {@code namespace}; empty for that of the client
 */
public record Source(
        Type type, List<JsonElement> items, List<String> objects, String kind, String namespace) {
    /** What the items are. */
    public enum Type {
        ENTITIES,
        LINES,
        ITEMS
    }

    /**
     * The entities of a kind, each once, in the order of their keys. Those added or removed
     * meanwhile may be missed or not.
     */
    public static Source entities(String kind, String namespace) {
        return new Source(Type.ENTITIES, List.of(), List.of(), kind, namespace);
    }

    /** The lines of objects in Cloud Storage, such as {@code gs://bucket/name}. */
    public static Source lines(String... objects) {
        return new Source(Type.LINES, List.of(), List.of(objects), "", "");
    }

    /** Values that are arguments themselves, for small inputs. */
    public static Source items(List<?> values) {
        return new Source(
                Type.ITEMS, values.stream().map(Values::encode).toList(), List.of(), "", "");
    }
}
