package petrichor.clients.appengine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.appengine.api.memcache.AsyncMemcacheService;
import com.google.appengine.api.memcache.ErrorHandlers;
import com.google.appengine.api.memcache.Expiration;
import com.google.appengine.api.memcache.InvalidValueException;
import com.google.appengine.api.memcache.MemcacheService;
import com.google.appengine.api.memcache.MemcacheService.CasValues;
import com.google.appengine.api.memcache.MemcacheService.IdentifiableValue;
import com.google.appengine.api.memcache.MemcacheService.SetPolicy;
import com.google.appengine.api.memcache.MemcacheServiceException;
import com.google.appengine.api.memcache.MemcacheServiceFactory;
import com.google.appengine.api.memcache.Stats;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class MemcacheTest {
    private static final int VALUE_BYTES_MAX = 1_000_000;
    private static final Duration EXPIRY_MAX = Duration.ofSeconds(60);

    private final App app = App.unique();
    private final MemcacheService cache = MemcacheServiceFactory.getMemcacheService();

    @SuppressWarnings("deprecation") // there is no other way to see errors instead of misses
    private static MemcacheService strict() {
        MemcacheService strict = MemcacheServiceFactory.getMemcacheService();
        strict.setErrorHandler(ErrorHandlers.getStrict());
        return strict;
    }

    @Test
    void valuesOfEveryTypeAreReadAsTheyWereStored() throws Exception {
        Map<Object, Object> values = new LinkedHashMap<>();
        values.put("text", "välue\u0000");
        values.put("long", 1L << 40);
        values.put("integer", -7);
        values.put("short", (short) 3);
        values.put("byte", (byte) 4);
        values.put("true", true);
        values.put("double", 0.25);
        values.put("list", new ArrayList<>(List.of("a", 1)));
        values.put(42L, "a key that is not a text");
        values.put("null", null);
        app.run(() -> {
            cache.putAll(values);
            assertThat(cache.getAll(values.keySet())).isEqualTo(values);
            cache.put("bytes", new byte[] {0, -1});
            assertThat((byte[]) cache.get("bytes")).containsExactly(0, -1);
            assertThat(cache.contains("null")).isTrue();
            assertThat(cache.contains("missing")).isFalse();
            assertThat(cache.get("missing")).isNull();
        });
    }

    @Test
    void policiesOfWrites() throws Exception {
        app.run(() -> {
            assertThat(cache.put("k", 1, null, SetPolicy.REPLACE_ONLY_IF_PRESENT)).isFalse();
            assertThat(cache.put("k", 1, null, SetPolicy.ADD_ONLY_IF_NOT_PRESENT)).isTrue();
            assertThat(cache.put("k", 2, null, SetPolicy.ADD_ONLY_IF_NOT_PRESENT)).isFalse();
            assertThat(cache.put("k", 3, null, SetPolicy.REPLACE_ONLY_IF_PRESENT)).isTrue();
            assertThat(cache.putAll(Map.of("k", 4, "n", 4), null, SetPolicy.ADD_ONLY_IF_NOT_PRESENT))
                    .containsExactly("n");
            assertThat(cache.getAll(List.of("k", "n"))).isEqualTo(Map.of("k", 3, "n", 4));
        });
    }

    @Test
    void deletions() throws Exception {
        app.run(() -> {
            cache.putAll(Map.of("a", 1, "b", 2));
            assertThat(cache.delete("a")).isTrue();
            assertThat(cache.delete("a")).isFalse();
            assertThat(cache.deleteAll(List.of("a", "b"))).containsExactly("b");
            cache.put("locked", 1);
            assertThat(cache.delete("locked", 60_000)).isTrue();
            assertThat(cache.put("locked", 2, null, SetPolicy.ADD_ONLY_IF_NOT_PRESENT)).isFalse();
            cache.put("locked", 3);
            assertThat(cache.get("locked")).isEqualTo(3);
        });
    }

    @Test
    void onlyTheFirstOfTwoComparesAndSetsSucceeds() throws Exception {
        app.run(() -> {
            cache.put("k", 1);
            IdentifiableValue first = cache.getIdentifiable("k");
            IdentifiableValue second = cache.getIdentifiable("k");
            assertThat(first.getValue()).isEqualTo(1);
            assertThat(cache.putIfUntouched("k", first, 2)).isTrue();
            assertThat(cache.putIfUntouched("k", second, 3)).isFalse();
            assertThat(cache.get("k")).isEqualTo(2);
            cache.put("other", 1);
            Map<String, IdentifiableValue> both = cache.getIdentifiables(List.of("k", "other"));
            cache.put("other", 2);
            assertThat(cache.putIfUntouched(Map.of(
                            "k", new CasValues(both.get("k"), "x"), "other", new CasValues(both.get("other"), "x"))))
                    .containsExactly("k");
            cache.delete("k");
            assertThat(cache.putIfUntouched("k", both.get("k"), 4)).isFalse();
            assertThat(cache.getIdentifiable("k")).isNull();
        });
    }

    @Test
    void counters() throws Exception {
        app.run(() -> {
            assertThat(cache.increment("missing", 1)).isNull();
            assertThat(cache.increment("n", 5, 10L)).isEqualTo(15);
            assertThat(cache.increment("n", -20)).isZero();
            cache.put("long", 1L << 40);
            assertThat(cache.increment("long", 1)).isEqualTo((1L << 40) + 1);
            assertThat(cache.get("long")).isEqualTo((1L << 40) + 1);
            assertThat(cache.incrementAll(List.of("n", "long", "none"), 1))
                    .containsEntry("n", 1L)
                    .containsEntry("long", (1L << 40) + 2)
                    .containsEntry("none", null);
            assertThat(cache.incrementAll(Map.of("n", 2L, "new", 3L), 100L)).isEqualTo(Map.of("n", 3L, "new", 103L));
            cache.put("text", "no number");
            assertThatThrownBy(() -> strict().increment("text", 1)).isInstanceOf(InvalidValueException.class);
        });
    }

    @Test
    void namespaces() throws Exception {
        app.run(() -> {
            MemcacheService other = MemcacheServiceFactory.getMemcacheService("other");
            other.put("k", "in other");
            assertThat(cache.get("k")).isNull();
            cache.put("k", "in none");
            assertThat(other.get("k")).isEqualTo("in other");
            assertThat(other.getNamespace()).isEqualTo("other");
        });
    }

    @Test
    void asynchronousCalls() throws Exception {
        AsyncMemcacheService async = MemcacheServiceFactory.getAsyncMemcacheService();
        app.run(() -> {
            List<Future<Void>> writes = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                writes.add(async.put(i, "value " + i));
            }
            for (Future<Void> write : writes) {
                write.get();
            }
            List<Future<Object>> reads = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                reads.add(async.get(i));
            }
            for (int i = 0; i < 50; i++) {
                assertThat(reads.get(i).get()).isEqualTo("value " + i);
            }
            assertThat(async.increment("n", 1, 0L).get()).isEqualTo(1);
            assertThat(async.delete(7).get()).isTrue();
        });
    }

    @Test
    void itemsExpire() throws Exception {
        app.run(() -> {
            cache.put("k", "v", Expiration.byDeltaSeconds(1));
            Instant deadline = Instant.now().plus(EXPIRY_MAX);
            while (cache.contains("k")) {
                assertThat(Instant.now()).isBefore(deadline);
            }
            cache.put("past", "v", Expiration.byDeltaSeconds(3600));
            assertThat(cache.contains("past")).isTrue();
        });
    }

    @Test
    void valuesOfOneMegabyte() throws Exception {
        app.run(() -> {
            cache.put("k", new byte[VALUE_BYTES_MAX]);
            assertThat((byte[]) cache.get("k")).hasSize(VALUE_BYTES_MAX);
            assertThatThrownBy(() -> strict().put("k", new byte[VALUE_BYTES_MAX + 1]))
                    .isInstanceOf(MemcacheServiceException.class);
        });
    }

    @Test
    void statisticsAndClearing() throws Exception {
        app.run(() -> {
            cache.put("k", "value");
            cache.get("k");
            cache.get("missing");
            Stats stats = cache.getStatistics();
            assertThat(stats.getHitCount()).isOne();
            assertThat(stats.getMissCount()).isOne();
            assertThat(stats.getItemCount()).isOne();
            assertThat(stats.getBytesReturnedForHits()).isPositive();
            assertThat(stats.getTotalItemBytes()).isPositive();
            cache.clearAll();
            assertThat(cache.get("k")).isNull();
            assertThat(cache.getStatistics().getItemCount()).isZero();
        });
    }
}
