package petrichor.services.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.services.cache.CacheConformance.key;
import static petrichor.services.cache.CacheConformance.set;
import static petrichor.services.cache.CacheConformance.value;

import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.Bytes;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

final class LruCachesTest implements CacheConformance {
    private static final int BYTES_MAX = 4 << 20;
    private static final int ITEM_BYTES = 1_000;

    private final SetTime time = new SetTime(1_800_000_000);
    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases databases = new RowDatabases(store);
    private final MemoryBudget process = MemoryBudget.of("process", 2L * BYTES_MAX);
    private final MemoryBudget memory = process.share("cache", BYTES_MAX);
    private final LruCaches caches = new LruCaches(() -> databases, memory, time);

    @AfterEach
    void closesAndReturnsAllMemory() {
        caches.close();
        assertThat(memory.bytesUsed()).isZero();
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
        return "demo";
    }

    private static byte[] bytes(int length) {
        return new byte[length];
    }

    private static void fill(Cache cache, int items) {
        for (int i = 0; i < items; i++) {
            cache.store(key("k" + i), bytes(ITEM_BYTES), 0, Expiry.NEVER, StorePolicy.SET);
        }
    }

    private static int present(Cache cache, int items) {
        int present = 0;
        for (int i = 0; i < items; i++) {
            present += value(cache, "k" + i).isPresent() ? 1 : 0;
        }
        return present;
    }

    private static CacheStatistics.Contents contents(Cache cache) {
        return cache.statistics().contents().orElseThrow();
    }

    @Test
    void theLeastRecentlyUsedItemsAreEvicted() {
        set(cache(), "used", "v");
        set(cache(), "unused", "v");
        for (int i = 0; i < 10; i++) {
            fill(cache(), 1_000);
            assertThat(value(cache(), "used")).isPresent();
        }
        fill(cache(), 10_000);
        assertThat(memory.bytesUsed()).isLessThanOrEqualTo(BYTES_MAX);
        assertThat(value(cache(), "unused")).isEmpty();
        assertThat(value(cache(), "k9999")).isPresent();
    }

    @Test
    void anAppBelowItsFairShareLosesNothingToOthers() {
        Cache small = caches.open("small");
        int share = BYTES_MAX / 2 / (ITEM_BYTES + 2 * LruCache.ITEM_OVERHEAD_BYTES);
        fill(small, share);
        Cache greedy = caches.open("greedy");
        fill(greedy, 50_000);
        assertThat(present(small, share)).isEqualTo(share);
        assertThat(contents(greedy).items()).isPositive();
    }

    @Test
    void anAppGetsItsFairShareBackFromALargeOne() {
        Cache greedy = caches.open("greedy");
        fill(greedy, 50_000);
        long alone = contents(greedy).bytes();
        Cache second = caches.open("second");
        Cache third = caches.open("third");
        fill(second, 50_000);
        fill(third, 50_000);
        for (Cache each : new Cache[] {greedy, second, third}) {
            assertThat(contents(each).bytes()).isBetween(alone / 4, alone / 2);
        }
    }

    @Test
    void memoryThatTheProcessNeedsElsewhereIsNotUsed() {
        fill(cache(), 500);
        long elsewhere = process.bytesMax() - process.bytesUsed();
        assertThat(process.tryReserve(elsewhere)).isTrue();
        // The app replaces its own items; another one has none to give up.
        assertThat(set(cache(), "k", "v")).isEqualTo(StoreOutcome.STORED);
        assertThat(contents(cache()).items()).isLessThanOrEqualTo(500);
        Cache other = caches.open("other");
        assertThat(other.store(key("k"), bytes(100_000), 0, Expiry.NEVER, StorePolicy.SET))
                .isEqualTo(StoreOutcome.NO_MEMORY);
        assertThat(other.count(key("n"), new CounterStep(1, false, Optional.empty())))
                .isInstanceOfAny(CounterOutcome.NoMemory.class, CounterOutcome.Missing.class);
        process.release(elsewhere);
    }

    @Test
    void contentsAreCounted() {
        set(cache(), "a", "12345");
        time.pass(7);
        set(cache(), "b", "123");
        time.pass(3);
        assertThat(contents(cache())).isEqualTo(new CacheStatistics.Contents(2, 10, 10));
        assertThat(value(cache(), "a")).isPresent();
        assertThat(contents(cache()).oldestSeconds()).isEqualTo(3);
        assertThat(CacheConformance.item(cache(), key("a")).usedSeconds())
                .hasValue(time.epochSeconds());
    }

    @Test
    void locksAreNotItems() {
        set(cache(), "a", "12345");
        set(cache(), "b", "123");
        cache().delete(key("a"), Expiry.of(60, time.epochMicros()));
        assertThat(contents(cache())).isEqualTo(new CacheStatistics.Contents(1, 4, 0));
        set(cache(), "a", "1");
        assertThat(contents(cache())).isEqualTo(new CacheStatistics.Contents(2, 6, 0));
    }

    /** Another server may have written newer items meanwhile. */
    @Test
    void anOpenCacheIsInMemory() {
        assertThat(caches.inMemory("demo")).isFalse();
        caches.open("demo");
        assertThat(caches.inMemory("demo")).isTrue();
        assertThat(caches.inMemory("other")).isFalse();
    }

    @Test
    void aChangeOfTheOwnerEmptiesTheCache() {
        set(cache(), "k", "old");
        Cache before = cache();
        databases.release(project());
        assertThat(value(cache(), "k")).isEmpty();
        assertThat(memory.bytesUsed()).isZero();
        set(before, "k", "by a late call");
        assertThat(value(cache(), "k")).isEmpty();
        assertThat(memory.bytesUsed()).isZero();
    }

    @Test
    void longerKeysAndNamespacesAreRefused() {
        assertThatThrownBy(() -> new CacheKey("", Bytes.of(bytes(CacheKey.KEY_BYTES_MAX + 1))))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("251 bytes");
        assertThatThrownBy(() -> key("n".repeat(101), ""))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("101 characters");
    }

    @Test
    void randomOperationsReserveExactlyWhatTheyHold() {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 20_000; i++) {
            Cache cache = caches.open("p" + random.nextInt(3));
            String name = "k" + random.nextInt(50);
            switch (random.nextInt(7)) {
                case 0, 1 ->
                        cache.store(
                                key(name),
                                bytes(random.nextInt(50_000)),
                                0,
                                Expiry.of(random.nextInt(20), time.epochMicros()),
                                StorePolicy.SET);
                case 2 -> set(cache, name, "1");
                case 3 ->
                        cache.count(
                                key(name),
                                new CounterStep(
                                        random.nextLong(),
                                        false,
                                        Optional.of(new CounterStep.Initial(1, 0))));
                case 4 -> cache.delete(key(name), Expiry.of(5, time.epochMicros()));
                case 5 -> cache.delete(key(name), Expiry.NEVER);
                case 6 -> time.pass(random.nextInt(3));
                default -> throw new AssertionError();
            }
            assertThat(memory.bytesUsed()).isLessThanOrEqualTo(BYTES_MAX);
        }
        for (int p = 0; p < 3; p++) {
            caches.open("p" + p).flush();
        }
        assertThat(memory.bytesUsed()).isZero();
    }
}
