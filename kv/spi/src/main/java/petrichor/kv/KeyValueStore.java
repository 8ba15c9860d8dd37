package petrichor.kv;

import java.util.Optional;
import java.util.Set;

/**
 * A datastore under Petrichor. Strongly consistent: after an acknowledged write every read from
 * anywhere sees it. A store that can run in a weaker mode is opened in the strong one or refused.
 *
 * <p>Safe for any thread. Failures are {@link petrichor.base.PetrichorException}: {@code NOT_FOUND}
 * for a table that does not exist, {@code INVALID_ARGUMENT} for keys, values and names over the
 * limits, {@code UNAVAILABLE} when the store cannot be reached or written right now (nothing was
 * acknowledged) and after it was closed, {@code INTERNAL} when its data is damaged. A batch that is
 * refused with {@code NOT_FOUND} or {@code INVALID_ARGUMENT} has written nothing. {@link
 * StoreFailures} makes the ones that all stores share.
 */
public interface KeyValueStore extends Reads, AutoCloseable {
    Capabilities capabilities();

    Set<String> tables();

    /** Does nothing if the table exists. A name is 1 to 48 of a-z, 0-9 and _, a letter first. */
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

    /**
     * Why the store, or a part of it, cannot do its work although it is open: what happened, to
     * what, and what to do, on one line. Empty while all is well. Readiness checks ask it, so it
     * answers from memory and never waits for the servers.
     */
    default Optional<String> problem() {
        return Optional.empty();
    }

    /**
     * Requests that were sent to the servers again since the store was opened: because the servers
     * took them back, were too busy, or lost a connection. For metrics; 0 for stores that repeat
     * nothing.
     */
    default long retries() {
        return 0;
    }

    /** Does nothing the second time. What is open (scans, views) may be closed after the store. */
    @Override
    void close();
}
