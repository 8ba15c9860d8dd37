package petrichor.transactions.ring;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The requests that the stores of a ring have got since the database was opened, and the keys of
 * some recent ones. Bounded, approximate and never stored. Thread-safe.
 */
final class RingLoad {
    /** Recent keys: enough to see a range with one percent of the requests. */
    private static final int KEYS_MAX = 2_048;

    /** Of so many requests, one is remembered. */
    private static final int ONE_OF = 8;

    private static final class Counts {
        final LongAdder reads = new LongAdder();
        final LongAdder writes = new LongAdder();
    }

    private final Map<String, Counts> stores = new ConcurrentHashMap<>();
    private final AtomicReferenceArray<byte @Nullable []> keys =
            new AtomicReferenceArray<>(KEYS_MAX);
    private final AtomicLong requests = new AtomicLong();

    void read(String store, byte[] key) {
        of(store).reads.increment();
        sample(key);
    }

    void written(String store, byte[] key) {
        of(store).writes.increment();
        sample(key);
    }

    private Counts of(String store) {
        Counts known = stores.get(store);
        return known == null ? stores.computeIfAbsent(store, _ -> new Counts()) : known;
    }

    private void sample(byte[] key) {
        long number = requests.incrementAndGet();
        if (number % ONE_OF == 0) {
            keys.set((int) (number / ONE_OF % KEYS_MAX), key);
        }
    }

    /** Requests by store, in the order of names: reads, then writes. */
    Map<String, long[]> counts() {
        Map<String, long[]> counts = new TreeMap<>();
        stores.forEach(
                (store, count) ->
                        counts.put(store, new long[] {count.reads.sum(), count.writes.sum()}));
        return counts;
    }

    /** Keys of recent requests, as often as they were remembered. */
    List<byte[]> recentKeys() {
        List<byte[]> recent = new ArrayList<>();
        for (int i = 0; i < KEYS_MAX; i++) {
            byte[] key = keys.get(i);
            if (key != null) {
                recent.add(key);
            }
        }
        return recent;
    }
}
