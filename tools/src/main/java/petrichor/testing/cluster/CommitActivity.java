package petrichor.testing.cluster;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import petrichor.base.PetrichorException;

/** Times of the last acknowledged commit, per database. Thread-safe. */
final class CommitActivity {
    private final Map<String, AtomicLong> last = new TreeMap<>();
    private final Map<String, AtomicLong> longest = new TreeMap<>();
    private final Map<String, AtomicLong> count = new TreeMap<>();
    private final Map<String, String> failures = new ConcurrentHashMap<>();

    CommitActivity(Iterable<String> databases) {
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

    /** Records a failed call; keeps the message of the last one. */
    void miss(String database, PetrichorException failed) {
        failures.put(database, failed.code() + ": " + failed.getMessage());
    }

    private static AtomicLong of(Map<String, AtomicLong> values, String database) {
        AtomicLong value = values.get(database);
        if (value == null) {
            throw new IllegalArgumentException("no database " + database);
        }
        return value;
    }

    /**
     * The longest gap of every database since the previous call of this method, including the
     * current one.
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

    /** Whether every database has acknowledged a commit since that time. */
    boolean allBeatSince(long nanoTime) {
        return last.values().stream().allMatch(beat -> beat.get() - nanoTime > 0);
    }

    /** The databases without an acknowledged commit since that time, each with its last failure. */
    Map<String, String> silentSince(long nanoTime) {
        Map<String, String> silent = new TreeMap<>();
        last.forEach(
                (database, beat) -> {
                    if (beat.get() - nanoTime <= 0) {
                        silent.put(database, failures.getOrDefault(database, "nothing failed"));
                    }
                });
        return silent;
    }

    Map<String, Long> counts() {
        Map<String, Long> counts = new TreeMap<>();
        count.forEach((database, number) -> counts.put(database, number.get()));
        return counts;
    }
}
