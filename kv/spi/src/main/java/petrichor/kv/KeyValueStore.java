package petrichor.kv;

import java.util.Set;

/**
 * A datastore under Petrichor. Strongly consistent: after an acknowledged write every read from
 * anywhere sees it. A store that can run in a weaker mode is opened in the strong one or refused.
 *
 * <p>Safe for any thread. Failures are {@link petrichor.base.PetrichorException}: {@code NOT_FOUND}
 * for a table that does not exist, {@code INVALID_ARGUMENT} for keys and values over the limits,
 * {@code UNAVAILABLE} when the store cannot be reached or written right now (nothing was
 * acknowledged), {@code INTERNAL} when its data is damaged.
 */
public interface KeyValueStore extends Reads, AutoCloseable {
    Capabilities capabilities();

    Set<String> tables();

    /** Does nothing if the table exists. */
    void createTable(String table);

    /** Does nothing if the table does not exist. */
    void dropTable(String table);

    /** Durable when it returns; each row is atomic, the whole batch if the capabilities say so. */
    void write(WriteBatch batch);

    /** How commits become permanent here. */
    DurableStep durableStep();

    /** The store as it is now, frozen; only if {@link Capabilities#nativeViews()}. */
    default StoreView view() {
        throw new UnsupportedOperationException("this store has no native views");
    }

    @Override
    void close();
}
