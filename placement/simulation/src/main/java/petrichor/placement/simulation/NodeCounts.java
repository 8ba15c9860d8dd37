package petrichor.placement.simulation;

/**
 * How many nodes the operations of each kind contact, as histograms, and how many requests each
 * node gets. Confined to one thread.
 */
final class NodeCounts {
    private static final double P99 = 0.99;

    private final int[][] histograms;
    private final long[] requests;

    /** Requests to every node, which are not in {@link #requests}. */
    private long broadcasts;

    NodeCounts(int nodes) {
        histograms = new int[Operation.values().length][nodes + 1];
        requests = new long[nodes];
    }

    /** Requests of each node, without those to every node; a caller may add to them. */
    long[] requests() {
        return requests;
    }

    /** An operation contacts nodes, which were added to the requests. */
    void add(Operation operation, int nodes) {
        histograms[operation.ordinal()][nodes]++;
    }

    /** An operation contacts every node. */
    void addBroadcast(Operation operation) {
        histograms[operation.ordinal()][requests.length]++;
        broadcasts++;
    }

    /** What was counted elsewhere for other operations. */
    void addAll(NodeCounts other) {
        for (int kind = 0; kind < histograms.length; kind++) {
            for (int nodes = 0; nodes < histograms[kind].length; nodes++) {
                histograms[kind][nodes] += other.histograms[kind][nodes];
            }
        }
        for (int node = 0; node < requests.length; node++) {
            requests[node] += other.requests[node];
        }
        broadcasts += other.broadcasts;
    }

    Outcome.Cost cost(Operation operation, double latencyMillisMean) {
        int[] histogram = histograms[operation.ordinal()];
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
        for (int[] histogram : histograms) {
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
