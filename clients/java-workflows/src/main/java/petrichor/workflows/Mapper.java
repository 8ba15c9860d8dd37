package petrichor.workflows;

/**
 * The map function of a {@link MapReduce}, called for each item of the source. A public class with a public constructor
 * without parameters. After a crash it is called again for the same items; what it emits counts once.
 *
 * @param <T> {@code Entity} for entities, {@code Line} for lines, {@code JsonElement} for items
 */
public interface Mapper<T> {
    void map(T item, Emitter emitter) throws Exception;
}
