package petrichor.placement.simulation;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * How many nodes the operations of each kind contact, as histograms, and how many requests each
 * node gets. Confined to one thread.
 */
final class NodeCounts {
    private static final double P99 = 0.99;

    private final Map<Operation, int[]> histograms = new EnumMap<>(Operation.class);
    private final long[] requests;

    /** Requests to every node, which are not in {@link #requests}. */
    private long broadcasts;

    NodeCounts(int nodes) {
        for (Operation operation : Operation.values()) {
            histograms.put(operation, new int[nodes + 1]);
        }
        requests = new long[nodes];
    }

    private int[] histogram(Operation operation) {
        return Objects.requireNonNull(histograms.get(operation));
    }

    /** Requests of each node, without those to every node; a caller may add to them. */
    long[] requests() {
        return requests;
    }

    /** An operation contacts nodes, which were added to the requests. */
    void add(Operation operation, int nodes) {
        histogram(operation)[nodes]++;
    }

    /** An operation contacts every node. */
    void addBroadcast(Operation operation) {
        histogram(operation)[requests.length]++;
        broadcasts++;
    }

    /** What was counted elsewhere for other operations. */
    void addAll(NodeCounts other) {
        histograms.forEach(
                (operation, histogram) -> {
                    int[] others = other.histogram(operation);
                    for (int nodes = 0; nodes < histogram.length; nodes++) {
                        histogram[nodes] += others[nodes];
                    }
                });
        for (int node = 0; node < requests.length; node++) {
            requests[node] += other.requests[node];
        }
        broadcasts += other.broadcasts;
    }

    Outcome.Cost cost(Operation operation, double latencyMillisMean) {
        int[] histogram = histogram(operation);
        int count = 0;
        for (int operations : histogram) {
            count += operations;
        }
        return count == 0
                ? new Outcome.Cost(0, 0, 0, 0, 0)
                : new Outcome.Cost(
                        (double) sum(histogram) / count,
                        quantile(histogram, (count - 1) / 2),
                        quantile(histogram, (int) (P99 * (count - 1))),
                        latencyMillisMean,
                        count);
    }

    /** Of all operations. */
    double mean() {
        long sum = 0;
        long count = 0;
        for (int[] histogram : histograms.values()) {
            sum += sum(histogram);
            for (int operations : histogram) {
                count += operations;
            }
        }
        return count == 0 ? 0 : (double) sum / count;
    }

    private static long sum(int[] histogram) {
        long sum = 0;
        for (int nodes = 0; nodes < histogram.length; nodes++) {
            sum += (long) histogram[nodes] * nodes;
        }
        return sum;
    }

    private static int quantile(int[] histogram, int rank) {
        int nodes = 0;
        for (int below = histogram[0]; below <= rank; below += histogram[nodes]) {
            nodes++;
        }
        return nodes;
    }

    /** Requests of the busiest node over the mean. */
    double requestImbalance() {
        long[] all = requests.clone();
        for (int node = 0; node < all.length; node++) {
            all[node] += broadcasts;
        }
        return imbalance(all);
    }

    /** The maximum over the mean. */
    static double imbalance(long[] amounts) {
        long sum = 0;
        long max = 0;
        for (long amount : amounts) {
            sum += amount;
            max = Math.max(max, amount);
        }
        return sum == 0 ? 1 : max / ((double) sum / amounts.length);
    }
}
