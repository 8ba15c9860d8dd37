package petrichor.services.cache;

import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import petrichor.base.TimeSource;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;
import petrichor.transactions.NotSequencedHere;

/**
 * Caches in memcached servers. The items outlive a change of the owner of an app's database; a
 * cache object belongs to one opening of the database, because a former owner may have flushed.
 * Connects on first use. Thread-safe.
 */
public final class MemcachedCaches implements Caches {
    private static final int GENERATION_BYTES = 16;

    private final Supplier<Databases> databases;
    private final MemcachedServers servers;
    private final TimeSource time;
    private final SecureRandom random;
    private final ConcurrentMap<String, Opened> caches = new ConcurrentHashMap<>();

    private record Opened(Database database, MemcachedCache cache) {}

    /**
     * @param databases of the store in use, which a server may replace
     * @param addresses of the memcached servers, the same and in the same order on all servers
     */
    public MemcachedCaches(
            Supplier<Databases> databases,
            List<InetSocketAddress> addresses,
            TimeSource time,
            SecureRandom random) {
        this.databases = databases;
        this.servers = new MemcachedServers(addresses);
        this.time = time;
        this.random = random;
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
        Opened fresh =
                new Opened(database, new MemcachedCache(servers, project, time, this::generation));
        return caches.compute(
                        project,
                        (_, other) ->
                                other != null && other.database().equals(database) ? other : fresh)
                .cache();
    }

    private String generation() {
        byte[] bytes = new byte[GENERATION_BYTES];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    @Override
    public void close() {
        servers.close();
    }
}
