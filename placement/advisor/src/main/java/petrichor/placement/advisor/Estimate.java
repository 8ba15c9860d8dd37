package petrichor.placement.advisor;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * What the operations of a workload cost.
 *
 * @param kinds the kinds of operations that occur
 */
public record Estimate(Map<OperationKind, Kind> kinds) {
    /**
     * The operations of a kind.
     *
     * @param operations how many were evaluated
     * @param cost mean of these
     */
    public record Kind(int operations, Cost cost) {}

    public Estimate {
        kinds = kinds.isEmpty() ? Map.of() : Collections.unmodifiableMap(new EnumMap<>(kinds));
    }

    /** The number of operations. */
    public int operations() {
        return kinds.values().stream().mapToInt(Kind::operations).sum();
    }

    /** The mean of all operations. */
    public Cost cost() {
        int all = operations();
        Cost sum = Cost.NONE;
        for (Kind kind : kinds.values()) {
            sum = sum.plus(kind.cost().times((double) kind.operations() / all));
        }
        return sum;
    }
}
