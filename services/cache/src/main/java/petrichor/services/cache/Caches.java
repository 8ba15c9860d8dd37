package petrichor.services.cache;

/** The caches of all apps. Thread-safe. */
public interface Caches extends AutoCloseable {
    /**
     * The cache of an app. {@link petrichor.base.NotOwner} if this server does not own the app's
     * database: another server may hold newer items.
     */
    Cache open(String project);

    /** Whether the cache of an app is in the memory of this process and open. */
    default boolean inMemory(String project) {
        return false;
    }

    @Override
    void close();
}
