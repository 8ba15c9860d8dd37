package petrichor.services.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static petrichor.services.cache.CacheConformance.key;
import static petrichor.services.cache.CacheConformance.set;
import static petrichor.services.cache.CacheConformance.value;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

/** Needs the package memcached; without it, fails if CI is set, and is skipped otherwise. */
@Timeout(120)
final class MemcachedCachesTest implements CacheConformance {
    /** Both servers. */
    private static List<MemcachedServer> servers = List.of();

    private final SetTime time = new SetTime(1_800_000_000);
    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases databases = new RowDatabases(store);
    private final String project = "p" + UUID.randomUUID();
    private final MemcachedCaches caches = caches(servers);

    @BeforeAll
    static void start() throws IOException {
        assumeTrue(
                MemcachedServer.program().isPresent() || System.getenv("CI") != null,
                "install the package memcached");
        servers = List.of(MemcachedServer.start(), MemcachedServer.start());
    }

    @AfterAll
    static void stop() {
        servers.forEach(MemcachedServer::close);
    }

    private MemcachedCaches caches(List<MemcachedServer> on) {
        return new MemcachedCaches(
                () -> databases,
                on.stream().map(MemcachedServer::address).toList(),
                time,
                new SecureRandom());
    }

    @AfterEach
    void close() {
        caches.close();
        databases.close();
        store.close();
    }

    @Override
    public Caches caches() {
        return caches;
    }

    @Override
    public SetTime time() {
        return time;
    }

    @Override
    public String project() {
        return project;
    }

    @Test
    void theItemsOutliveAChangeOfTheOwner() {
        set(cache(), "k", "v");
        databases.release(project());
        assertThat(value(cache(), "k")).contains("v");
        try (MemcachedCaches other = caches(servers)) {
            assertThat(value(other.open(project()), "k")).contains("v");
        }
    }

    /** A later owner does not see the items from before the flush. */
    @Test
    void aFlushIsSeenByTheNextOwner() {
        set(cache(), "k", "v");
        try (MemcachedCaches other = caches(servers)) {
            other.open(project()).flush();
        }
        databases.release(project());
        assertThat(value(cache(), "k")).isEmpty();
    }

    @Test
    void keysAreDistributedOverTheServers() {
        for (int i = 0; i < 100; i++) {
            set(cache(), "k" + i, "v");
        }
        int found = 0;
        try (MemcachedCaches one = caches(servers.subList(0, 1))) {
            Cache partial = one.open(project());
            for (int i = 0; i < 100; i++) {
                found += value(partial, "k" + i).isPresent() ? 1 : 0;
            }
        }
        assertThat(found).isBetween(0, 90);
    }

    @Test
    void aServerThatDoesNotAnswerMakesTheCacheUnavailable() throws IOException {
        MemcachedServer server = MemcachedServer.start();
        try (MemcachedCaches lost = caches(List.of(server))) {
            Cache cache = lost.open(project());
            assertThat(set(cache, "k", "v")).isEqualTo(StoreOutcome.STORED);
            server.close();
            assertThatThrownBy(() -> cache.get(List.of(key("k"))))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            failed -> assertThat(failed.code()).isEqualTo(ErrorCode.UNAVAILABLE));
        }
    }
}
