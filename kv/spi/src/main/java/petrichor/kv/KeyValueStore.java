package petrichor.kv;

import java.util.Optional;
import java.util.Set;

/**
 * A datastore under Petrichor. Strongly consistent: every read, from any process, sees all writes
 * acknowledged before it. A store with weaker modes is opened in the strong one or refused.
 *
 * <p>Thread-safe. Failures are {@link petrichor.base.PetrichorException}: {@code NOT_FOUND} for a
 * table that does not exist, {@code INVALID_ARGUMENT} for keys, values and names over the limits,
 * {@code UNAVAILABLE} when the store cannot be reached or written right now (nothing was
 * acknowledged) and after it was closed, {@code INTERNAL} when its data is damaged. A batch that is
 * refused with {@code NOT_FOUND} or {@code INVALID_ARGUMENT} has written nothing. {@link
 * StoreFailures} creates the failures common to all stores.
 */
public interface KeyValueStore extends Reads, AutoCloseable {
    Capabilities capabilities();

    Set<String> tables();

    /**
     * Does nothing if the table exists. A name has 1 to 48 of a-z, 0-9 and _, starting with a
     * letter.
     */
    void createTable(String table);

    /** Does nothing if the table does not exist. */
    void dropTable(String table);

    /** Durable when it returns; each row is atomic, the whole batch if the capabilities say so. */
    void write(WriteBatch batch);

    /** The commit point that this store supports. */
    DurableStep durableStep();

    /** A frozen view of the current state; only if {@link Capabilities#views()}. */
    default StoreView view() {
        throw new UnsupportedOperationException("this store has no native views");
    }

    /**
     * Why an open store, or a part of it, cannot work: what happened, to what, and what to do, in
     * one line. Empty if it works. Used by readiness checks: answers from memory and never waits
     * for the servers.
     */
    default Optional<String> problem() {
        return Optional.empty();
    }

    /**
     * Whether {@link #problem} ends if the store is closed and opened again: writes are refused for
     * a reason that has passed or will pass, such as a lack of file handles.
     */
    default boolean reopeningHelps() {
        return false;
    }

    /**
     * Number of requests sent again since the store was opened: because the servers refused them,
     * were too busy, or lost a connection. For metrics; 0 for stores that retry nothing.
     */
    default long retries() {
        return 0;
    }

    /** Idempotent. Open scans and views may be closed after the store. */
    @Override
    void close();
}
