package petrichor.services.cache;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;
import petrichor.transactions.NotSequencedHere;

/**
 * Caches in the memory of the owner of each app's database. A change of the owner empties a cache,
 * because another server may have written newer items: a cache belongs to one opening of the
 * database. Thread-safe.
 */
public final class LruCaches implements Caches {
    private final Supplier<Databases> databases;
    private final CacheMemory memory;
    private final TimeSource time;
    private final ConcurrentMap<String, Opened> caches = new ConcurrentHashMap<>();

    private record Opened(Database database, LruCache cache) {}

    /**
     * @param databases of the store in use, which a server may replace
     * @param memory for all items
     */
    public LruCaches(Supplier<Databases> databases, MemoryBudget memory, TimeSource time) {
        this.databases = databases;
        this.memory = new CacheMemory(memory);
        this.time = time;
    }

    @Override
    public Cache open(String project) {
        Database database = databases.get().open(project);
        if (!database.sequencedHere()) {
            throw new NotSequencedHere(project);
        }
        database.snapshot().close(); // refused unless this server is still the owner
        Opened known = caches.get(project);
        if (known != null && known.database().equals(database)) {
            return known.cache();
        }
        return caches.compute(
                        project,
                        (_, other) -> {
                            if (other != null && other.database().equals(database)) {
                                return other;
                            }
                            if (other != null) {
                                discard(other.cache());
                            }
                            LruCache fresh = new LruCache(memory, time);
                            memory.add(fresh);
                            return new Opened(database, fresh);
                        })
                .cache();
    }

    @Override
    public boolean inMemory(String project) {
        return caches.containsKey(project);
    }

    private void discard(LruCache cache) {
        memory.remove(cache);
        cache.close();
    }

    @Override
    public void close() {
        caches.values().forEach(opened -> discard(opened.cache()));
        caches.clear();
    }
}
