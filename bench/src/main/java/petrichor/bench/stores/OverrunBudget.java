package petrichor.bench.stores;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * How much time beyond its own each store may take: an operation that was begun is waited for, and
 * on a store that answers after seconds a run of any length would never end. Belongs to one thread.
 */
final class Patience {
    private final Duration most;
    private final Map<String, Duration> spent = new HashMap<>();

    /**
     * @param most of one store, in all
     */
    Patience(Duration most) {
        this.most = most;
    }

    /** True if that was too much. */
    boolean spend(String store, Duration beyond) {
        if (beyond.isPositive()) {
            spent.merge(store, beyond, Duration::plus);
        }
        return exhausted(store);
    }

    boolean exhausted(String store) {
        return spent.getOrDefault(store, Duration.ZERO).compareTo(most) > 0;
    }
}
