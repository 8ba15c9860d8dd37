package petrichor.services.users;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import petrichor.base.TimeSource;

/**
 * Limits failed attempts to sign in, per account and per address of a client. Only failures count.
 * Bounded: the least recently used entries are forgotten. Thread-safe.
 */
final class AttemptLimit {
    static final int FAILURES_PER_ACCOUNT_MAX = 10;
    static final int FAILURES_PER_ADDRESS_MAX = 50;
    static final Duration WINDOW = Duration.ofMinutes(10);
    private static final int ENTRIES_MAX = 100_000;

    private final TimeSource time;
    private final Map<String, Failures> failures =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Failures> eldest) {
                    return size() > ENTRIES_MAX;
                }
            };

    private record Failures(int count, long sinceNanos) {}

    AttemptLimit(TimeSource time) {
        this.time = time;
    }

    /** Counts an attempt as failed until {@link #succeeded}; false if there were too many. */
    synchronized boolean attempt(String email, String address) {
        if (count("account " + email) >= FAILURES_PER_ACCOUNT_MAX
                || count("address " + address) >= FAILURES_PER_ADDRESS_MAX) {
            return false;
        }
        add("account " + email, 1);
        add("address " + address, 1);
        return true;
    }

    synchronized void succeeded(String email, String address) {
        failures.remove("account " + email);
        add("address " + address, -1);
    }

    private int count(String key) {
        Failures known = failures.get(key);
        return known == null || time.monotonicNanos() - known.sinceNanos() > WINDOW.toNanos()
                ? 0
                : known.count();
    }

    private void add(String key, int more) {
        int count = count(key);
        Failures known = failures.get(key);
        long since = count == 0 || known == null ? time.monotonicNanos() : known.sinceNanos();
        failures.put(key, new Failures(Math.max(0, count + more), since));
    }
}
