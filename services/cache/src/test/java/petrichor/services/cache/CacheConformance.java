package petrichor.services.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import petrichor.base.Bytes;

/** What every implementation of {@link Cache} does. */
interface CacheConformance {
    int FLAGS = 0x8000_0007;

    /** The caches under test; one object per test. */
    Caches caches();

    SetTime time();

    /** A project that no other test uses. */
    String project();

    default Cache cache() {
        return caches().open(project());
    }

    static CacheKey key(String text) {
        return key("", text);
    }

    static CacheKey key(String namespace, String text) {
        return new CacheKey(namespace, Bytes.of(text.getBytes(UTF_8)));
    }

    static StoreOutcome store(Cache cache, CacheKey key, String value, StorePolicy policy) {
        return cache.store(key, value.getBytes(UTF_8), FLAGS, Expiry.NEVER, policy);
    }

    static StoreOutcome set(Cache cache, String key, String value) {
        return store(cache, key(key), value, StorePolicy.SET);
    }

    /** An item that must be present. */
    static CacheItem item(Cache cache, CacheKey key) {
        return Objects.requireNonNull(cache.get(List.of(key)).get(key));
    }

    private static CacheItem peeked(Cache cache, CacheKey key) {
        return Objects.requireNonNull(cache.peek(List.of(key, key("missing"))).get(key));
    }

    static Optional<String> value(Cache cache, CacheKey key) {
        return Optional.ofNullable(cache.get(List.of(key)).get(key))
                .map(item -> new String(item.value(), UTF_8));
    }

    static Optional<String> value(Cache cache, String key) {
        return value(cache, key(key));
    }

    private Expiry in(long seconds) {
        return Expiry.of(seconds, time().epochMicros());
    }

    private static CounterStep plus(long delta) {
        return new CounterStep(delta, false, Optional.empty());
    }

    private static CounterStep minus(long delta) {
        return new CounterStep(delta, true, Optional.empty());
    }

    private static CounterOutcome counted(long value) {
        return new CounterOutcome.Counted(value);
    }

    @Test
    default void anItemIsReadAsItWasStored() {
        assertThat(set(cache(), "k", "välue")).isEqualTo(StoreOutcome.STORED);
        CacheItem item = item(cache(), key("k"));
        assertThat(item.value()).isEqualTo("välue".getBytes(UTF_8));
        assertThat(item.flags()).isEqualTo(FLAGS);
        assertThat(item.locked()).isFalse();
        assertThat(set(cache(), "k", "other")).isEqualTo(StoreOutcome.STORED);
        assertThat(value(cache(), "k")).contains("other");
    }

    @Test
    default void manyItemsAreReadAtOnceAndMissingOnesAreLeftOut() {
        set(cache(), "a", "1");
        set(cache(), "c", "");
        Map<CacheKey, CacheItem> found = cache().get(List.of(key("a"), key("b"), key("c")));
        assertThat(found).containsOnlyKeys(key("a"), key("c"));
    }

    @Test
    default void keysAreBytes() {
        byte[] bytes = new byte[CacheKey.KEY_BYTES_MAX];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        CacheKey all = new CacheKey("", Bytes.of(bytes));
        assertThat(store(cache(), all, "v", StorePolicy.SET)).isEqualTo(StoreOutcome.STORED);
        assertThat(value(cache(), all)).contains("v");
        assertThat(value(cache(), "")).isEmpty();
        assertThat(set(cache(), "", "empty key")).isEqualTo(StoreOutcome.STORED);
        assertThat(value(cache(), "")).contains("empty key");
    }

    @Test
    default void namespacesAndProjectsAreApart() {
        Cache other = caches().open(project() + "-other");
        store(cache(), key("n", "k"), "in n", StorePolicy.SET);
        store(other, key("n", "k"), "of the other", StorePolicy.SET);
        assertThat(value(cache(), key("", "k"))).isEmpty();
        assertThat(value(cache(), key("nk", ""))).isEmpty();
        assertThat(value(cache(), key("n", "k"))).contains("in n");
        other.flush();
        assertThat(value(other, key("n", "k"))).isEmpty();
        assertThat(value(cache(), key("n", "k"))).contains("in n");
    }

    @Test
    default void addNeedsAMissingItemAndReplaceAPresentOne() {
        assertThat(store(cache(), key("k"), "1", StorePolicy.REPLACE))
                .isEqualTo(StoreOutcome.NOT_STORED);
        assertThat(store(cache(), key("k"), "1", StorePolicy.ADD)).isEqualTo(StoreOutcome.STORED);
        assertThat(store(cache(), key("k"), "2", StorePolicy.ADD))
                .isEqualTo(StoreOutcome.NOT_STORED);
        assertThat(store(cache(), key("k"), "3", StorePolicy.REPLACE))
                .isEqualTo(StoreOutcome.STORED);
        assertThat(value(cache(), "k")).contains("3");
    }

    @Test
    default void compareAndSetFailsAfterAnyOtherWrite() {
        set(cache(), "k", "1");
        long read = item(cache(), key("k")).casId();
        StorePolicy policy = new StorePolicy.CompareAndSet(read);
        assertThat(store(cache(), key("k"), "2", policy)).isEqualTo(StoreOutcome.STORED);
        assertThat(store(cache(), key("k"), "3", policy)).isEqualTo(StoreOutcome.CHANGED);
        assertThat(value(cache(), "k")).contains("2");
        assertThat(store(cache(), key("missing"), "3", policy)).isEqualTo(StoreOutcome.NOT_STORED);
        long second = item(cache(), key("k")).casId();
        cache().count(key("k"), plus(1));
        assertThat(store(cache(), key("k"), "4", new StorePolicy.CompareAndSet(second)))
                .isEqualTo(StoreOutcome.CHANGED);
    }

    @Test
    default void aCasIdIsNotUsedAgainAfterAFlush() {
        set(cache(), "k", "1");
        long read = item(cache(), key("k")).casId();
        cache().flush();
        set(cache(), "k", "1");
        assertThat(store(cache(), key("k"), "2", new StorePolicy.CompareAndSet(read)))
                .isEqualTo(StoreOutcome.CHANGED);
    }

    @Test
    default void deletingAMissingItemReportsIt() {
        assertThat(cache().delete(key("k"), Expiry.NEVER)).isFalse();
        set(cache(), "k", "1");
        assertThat(cache().delete(key("k"), Expiry.NEVER)).isTrue();
        assertThat(value(cache(), "k")).isEmpty();
        assertThat(cache().delete(key("k"), Expiry.NEVER)).isFalse();
    }

    @Test
    default void aLockedKeyCanOnlyBeSet() {
        set(cache(), "k", "1");
        long read = item(cache(), key("k")).casId();
        assertThat(cache().delete(key("k"), in(100))).isTrue();
        assertThat(value(cache(), "k")).isEmpty();
        for (StorePolicy refused :
                List.of(
                        StorePolicy.ADD,
                        StorePolicy.REPLACE,
                        new StorePolicy.CompareAndSet(read))) {
            assertThat(store(cache(), key("k"), "2", refused)).isEqualTo(StoreOutcome.NOT_STORED);
        }
        assertThat(cache().touch(key("k"), Expiry.NEVER)).isFalse();
        CacheItem locked = peeked(cache(), key("k"));
        assertThat(locked.locked()).isTrue();
        assertThat(locked.value()).isEmpty();
        assertThat(locked.expiry().epochSeconds()).isEqualTo(time().epochSeconds() + 100);
        assertThat(set(cache(), "k", "3")).isEqualTo(StoreOutcome.STORED);
        assertThat(value(cache(), "k")).contains("3");
    }

    @Test
    default void aLockEnds() {
        set(cache(), "k", "1");
        cache().delete(key("k"), in(100));
        time().pass(99);
        assertThat(store(cache(), key("k"), "2", StorePolicy.ADD))
                .isEqualTo(StoreOutcome.NOT_STORED);
        time().pass(1);
        assertThat(store(cache(), key("k"), "2", StorePolicy.ADD)).isEqualTo(StoreOutcome.STORED);
    }

    @Test
    default void itemsExpire() {
        Cache cache = cache();
        cache.store(key("relative"), new byte[1], 0, in(10), StorePolicy.SET);
        cache.store(
                key("absolute"), new byte[1], 0, in(time().epochSeconds() + 20), StorePolicy.SET);
        cache.store(key("past"), new byte[1], 0, in(time().epochSeconds() - 1), StorePolicy.SET);
        cache.store(key("never"), new byte[1], 0, in(0), StorePolicy.SET);
        assertThat(value(cache, "past")).isEmpty();
        time().pass(9);
        assertThat(value(cache, "relative")).isPresent();
        time().pass(1);
        assertThat(value(cache, "relative")).isEmpty();
        assertThat(value(cache, "absolute")).isPresent();
        time().pass(10);
        assertThat(value(cache, "absolute")).isEmpty();
        assertThat(value(cache, "never")).isPresent();
        assertThat(store(cache, key("relative"), "again", StorePolicy.ADD))
                .isEqualTo(StoreOutcome.STORED);
    }

    @Test
    default void touchChangesTheExpiry() {
        assertThat(cache().touch(key("k"), in(10))).isFalse();
        cache().store(key("k"), new byte[] {7}, FLAGS, in(10), StorePolicy.SET);
        assertThat(cache().touch(key("k"), in(20))).isTrue();
        time().pass(19);
        assertThat(item(cache(), key("k")).value()).isEqualTo(new byte[] {7});
        assertThat(item(cache(), key("k")).flags()).isEqualTo(FLAGS);
        time().pass(1);
        assertThat(value(cache(), "k")).isEmpty();
    }

    @Test
    default void peekShowsItemsWithoutCountingAsAUse() {
        cache().store(key("k"), new byte[] {1}, 5, in(60), StorePolicy.SET);
        CacheItem seen = peeked(cache(), key("k"));
        assertThat(seen.locked()).isFalse();
        assertThat(seen.flags()).isEqualTo(5);
        assertThat(seen.expiry().epochSeconds()).isEqualTo(time().epochSeconds() + 60);
        assertThat(cache().statistics().hits()).isZero();
        assertThat(cache().statistics().misses()).isZero();
    }

    @Test
    default void countersCountDownToZeroAndWrapAtTheTop() {
        set(cache(), "n", "5");
        assertThat(cache().count(key("n"), plus(3))).isEqualTo(counted(8));
        assertThat(cache().count(key("n"), minus(2))).isEqualTo(counted(6));
        assertThat(value(cache(), "n")).contains("6");
        assertThat(cache().count(key("n"), minus(7))).isEqualTo(counted(0));
        assertThat(cache().count(key("n"), plus(-1))).isEqualTo(counted(-1));
        assertThat(value(cache(), "n")).contains("18446744073709551615");
        assertThat(cache().count(key("n"), plus(3))).isEqualTo(counted(2));
        assertThat(item(cache(), key("n")).flags()).isEqualTo(FLAGS);
    }

    @Test
    default void aCounterWithAnInitialValueIsCreated() {
        assertThat(cache().count(key("n"), plus(1))).isEqualTo(new CounterOutcome.Missing());
        CounterStep first =
                new CounterStep(1, false, Optional.of(new CounterStep.Initial(41, FLAGS)));
        assertThat(cache().count(key("n"), first)).isEqualTo(counted(42));
        assertThat(cache().count(key("n"), first)).isEqualTo(counted(43));
        assertThat(item(cache(), key("n")).flags()).isEqualTo(FLAGS);
        CounterStep down = new CounterStep(9, true, Optional.of(new CounterStep.Initial(5, 0)));
        assertThat(cache().count(key("m"), down)).isEqualTo(counted(0));
    }

    @Test
    default void aLockedKeyIsNotACounter() {
        set(cache(), "n", "5");
        cache().delete(key("n"), in(100));
        assertThat(cache().count(key("n"), plus(1))).isEqualTo(new CounterOutcome.Missing());
    }

    @Test
    default void whatIsNotANumberIsNotCounted() {
        for (String text : List.of("x", "", "-1", "1.5", "18446744073709551616", "9".repeat(30))) {
            set(cache(), "n", text);
            assertThat(cache().count(key("n"), plus(1)))
                    .as(text)
                    .isEqualTo(new CounterOutcome.NotNumber());
            assertThat(value(cache(), "n")).contains(text);
        }
        set(cache(), "n", " 5 ");
        assertThat(cache().count(key("n"), plus(1))).isEqualTo(counted(6));
    }

    @Test
    default void aCounterKeepsItsExpiry() {
        cache().store(key("n"), "5".getBytes(UTF_8), 0, in(10), StorePolicy.SET);
        cache().count(key("n"), plus(1));
        time().pass(10);
        assertThat(value(cache(), "n")).isEmpty();
    }

    @Test
    default void concurrentCountsAreAllCounted() throws Exception {
        int threads = 4;
        int steps = 100;
        set(cache(), "n", "0");
        List<Future<?>> all = new ArrayList<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            Callable<Void> counts =
                    () -> {
                        for (int i = 0; i < steps; i++) {
                            cache().count(key("n"), plus(1));
                        }
                        return null;
                    };
            for (int i = 0; i < threads; i++) {
                all.add(pool.submit(counts));
            }
            for (Future<?> one : all) {
                one.get();
            }
        }
        assertThat(value(cache(), "n")).contains(String.valueOf(threads * steps));
    }

    @Test
    default void valuesUpToOneMegabyteAreStored() {
        byte[] largest = new byte[Cache.VALUE_BYTES_MAX];
        largest[largest.length - 1] = 1;
        CacheKey longest = key("k".repeat(CacheKey.KEY_BYTES_MAX));
        assertThat(cache().store(longest, largest, 0, Expiry.NEVER, StorePolicy.SET))
                .isEqualTo(StoreOutcome.STORED);
        assertThat(item(cache(), longest).value()).isEqualTo(largest);
        byte[] larger = new byte[Cache.VALUE_BYTES_MAX + 1];
        assertThat(cache().store(longest, larger, 0, Expiry.NEVER, StorePolicy.SET))
                .isEqualTo(StoreOutcome.TOO_LARGE);
    }

    @Test
    default void flushDeletesAllItemsAndResetsTheStatistics() {
        set(cache(), "k", "v");
        store(cache(), key("n", "k"), "v", StorePolicy.SET);
        assertThat(value(cache(), "k")).isPresent();
        cache().flush();
        assertThat(cache().statistics().hits()).isZero();
        assertThat(value(cache(), "k")).isEmpty();
        assertThat(value(cache(), key("n", "k"))).isEmpty();
        assertThat(set(cache(), "k", "v")).isEqualTo(StoreOutcome.STORED);
        assertThat(value(cache(), "k")).contains("v");
    }

    @Test
    default void hitsAndMissesAreCounted() {
        set(cache(), "key", "value");
        cache().get(List.of(key("key"), key("missing"), key("other")));
        cache().get(List.of(key("key")));
        CacheStatistics statistics = cache().statistics();
        assertThat(statistics.hits()).isEqualTo(2);
        assertThat(statistics.misses()).isEqualTo(2);
        assertThat(statistics.byteHits()).isEqualTo(2L * "keyvalue".length());
    }
}
