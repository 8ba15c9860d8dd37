package petrichor.bench.stores;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The overrun budget of each store: a started operation is awaited, and on a store that answers
 * after seconds a run of any length would never end. Belongs to one thread.
 */
final class OverrunBudget {
    private final Duration most;
    private final Map<String, Duration> spent = new HashMap<>();

    /**
     * @param most total overrun of one store
     */
    OverrunBudget(Duration most) {
        this.most = most;
    }

    /** True if the budget is exhausted. */
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
