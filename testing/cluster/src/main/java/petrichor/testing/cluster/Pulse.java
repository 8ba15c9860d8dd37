package petrichor.testing.cluster;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** When commits were acknowledged last, database by database. Safe for any thread. */
final class Pulse {
    private final Map<String, AtomicLong> last = new TreeMap<>();
    private final Map<String, AtomicLong> longest = new TreeMap<>();
    private final Map<String, AtomicLong> count = new TreeMap<>();

    Pulse(Iterable<String> databases) {
        long now = System.nanoTime();
        for (String database : databases) {
            last.put(database, new AtomicLong(now));
            longest.put(database, new AtomicLong());
            count.put(database, new AtomicLong());
        }
    }

    void beat(String database) {
        long now = System.nanoTime();
        long gap = now - of(last, database).getAndSet(now);
        of(longest, database).accumulateAndGet(gap, Math::max);
        of(count, database).incrementAndGet();
    }

    private static AtomicLong of(Map<String, AtomicLong> values, String database) {
        AtomicLong value = values.get(database);
        if (value == null) {
            throw new IllegalArgumentException("no database " + database);
        }
        return value;
    }

    /**
     * The longest silence of every database since this was asked last, the present one included.
     */
    Map<String, Long> longestGapsMillis() {
        long now = System.nanoTime();
        Map<String, Long> gaps = new TreeMap<>();
        longest.forEach(
                (database, gap) ->
                        gaps.put(
                                database,
                                Math.max(gap.getAndSet(0), now - of(last, database).get())
                                        / 1_000_000));
        return gaps;
    }

    /** Whether every database has acknowledged something since that moment. */
    boolean allBeatSince(long nanoTime) {
        return last.values().stream().allMatch(beat -> beat.get() - nanoTime > 0);
    }

    Map<String, Long> counts() {
        Map<String, Long> counts = new TreeMap<>();
        count.forEach((database, number) -> counts.put(database, number.get()));
        return counts;
    }
}
