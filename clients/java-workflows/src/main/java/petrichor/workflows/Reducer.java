package petrichor.workflows;

import com.google.gson.JsonElement;
import java.util.Iterator;

/**
 * The reduce function, or the combiner, of a {@link MapReduce}; a class as {@link Mapper}
 * describes. A reducer is called for each key in the order of the keys of its partition and stores
 * entities. A combiner emits fewer pairs with the same meaning, of the same key.
 */
public interface Reducer {
    void reduce(String key, Iterator<JsonElement> values, Emitter emitter) throws Exception;
}
