package petrichor.transactions.locks;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.transactions.TransactionId;

/**
 * AccessSets of transactions that lost, until their retry names them; the oldest are evicted first.
 */
public final class AccessSets {
    private final int countMax;
    private final Map<TransactionId, AccessSet> lost = new LinkedHashMap<>();

    public AccessSets(int countMax) {
        this.countMax = countMax;
    }

    public synchronized void remember(TransactionId id, AccessSet accessed) {
        if (!accessed.small()) {
            return;
        }
        lost.put(id, accessed);
        if (lost.size() > countMax) {
            lost.remove(lost.keySet().iterator().next());
        }
    }

    /** Null if unknown or evicted. */
    public synchronized @Nullable AccessSet take(TransactionId id) {
        return lost.remove(id);
    }
}
