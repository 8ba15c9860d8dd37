package petrichor.placement.simulation;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The time of operations whose requests wait in queues: requests reach their nodes after the time
 * of a link, wait for those that arrived earlier, and are answered; an operation ends with its last
 * answer. Confined to one thread.
 */
final class Queues {
    private static final double MILLIS_PER_SECOND = 1_000;
    private static final int EVENT_BITS = 32;

    /** Of most operations, and the share of those that ask every node if there is no index. */
    private static final int REQUESTS_MEAN = 8;

    private static final double BROADCASTS = 0.42;

    /** Events per bucket above which a bucket is sorted by comparisons of O(n log n). */
    private static final int INSERTION_MAX = 48;

    private final int nodes;
    private final int operations;
    private final Timing timing;
    private final long seed;

    /** Requests: the operation, the node and its tuples. */
    private int[] operationOf;

    private int[] nodeOf;
    private int[] tuplesOf;
    private int events;

    /**
     * @param operations their number
     */
    Queues(int nodes, int operations, Timing timing, long seed) {
        this.nodes = nodes;
        this.operations = operations;
        this.timing = timing;
        this.seed = seed;
        int capacity = operations * (REQUESTS_MEAN + (int) (nodes * BROADCASTS));
        this.operationOf = new int[capacity];
        this.nodeOf = new int[capacity];
        this.tuplesOf = new int[capacity];
    }

    /** Forgets all requests. */
    void clear() {
        events = 0;
    }

    /** The requests of an operation; operations are added in their order. */
    void add(int operation, NodeSet contacted) {
        if (events + contacted.size() > operationOf.length) {
            int capacity = 2 * (events + contacted.size());
            operationOf = Arrays.copyOf(operationOf, capacity);
            nodeOf = Arrays.copyOf(nodeOf, capacity);
            tuplesOf = Arrays.copyOf(tuplesOf, capacity);
        }
        for (int n = 0; n < contacted.size(); n++) {
            operationOf[events] = operation;
            nodeOf[events] = contacted.member(n);
            tuplesOf[events++] = contacted.tuples(n);
        }
    }

    /** Milliseconds of each operation. */
    double[] latencies() {
        SplittableRandom random = new SplittableRandom(seed);
        double[] begin = new double[operations];
        double now = 0;
        for (int k = 0; k < begin.length; k++) {
            now -=
                    Math.log(1 - random.nextDouble())
                            / timing.operationsPerSecond()
                            * MILLIS_PER_SECOND;
            begin[k] = now;
        }
        double[] arrival = new double[events];
        double last = 0;
        for (int e = 0; e < events; e++) {
            arrival[e] = begin[operationOf[e]] + link(random);
            last = Math.max(last, arrival[e]);
        }
        double[] freeAt = new double[nodes];
        double[] end = begin.clone();
        for (long packed : order(arrival, Integer.MAX_VALUE / Math.max(1, last))) {
            int e = (int) packed;
            int node = nodeOf[e];
            double served =
                    Math.max(freeAt[node], arrival[e])
                            + timing.requestMillis()
                            + tuplesOf[e] * timing.tupleMillis();
            freeAt[node] = served;
            int k = operationOf[e];
            end[k] = Math.max(end[k], served + link(random));
        }
        double[] latency = new double[begin.length];
        Arrays.setAll(latency, k -> end[k] - begin[k]);
        return latency;
    }

    private double link(SplittableRandom random) {
        return timing.linkMillisMin()
                + random.nextDouble() * (timing.linkMillisMax() - timing.linkMillisMin());
    }

    /**
     * The requests in the order of their arrival, below the time of arrival. Buckets of equal
     * times, of which most have few requests, then insertion.
     */
    private long[] order(double[] arrival, double ticksPerMilli) {
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(events | 1);
        int shift = Integer.SIZE - 1 - bits;
        int[] ends = new int[(1 << bits) + 1];
        int[] ticks = new int[events];
        for (int e = 0; e < events; e++) {
            ticks[e] = (int) (arrival[e] * ticksPerMilli);
            ends[(ticks[e] >>> shift) + 1]++;
        }
        for (int bucket = 1; bucket < ends.length; bucket++) {
            ends[bucket] += ends[bucket - 1];
        }
        long[] order = new long[events];
        for (int e = 0; e < events; e++) {
            order[ends[ticks[e] >>> shift]++] = (long) ticks[e] << EVENT_BITS | e;
        }
        int from = 0;
        for (int bucket = 0; bucket < ends.length - 1; bucket++) {
            int to = ends[bucket]; // advanced to its end by the loop above
            if (to - from > INSERTION_MAX) {
                Arrays.sort(order, from, to);
            } else {
                insertion(order, from, to);
            }
            from = to;
        }
        return order;
    }

    private static void insertion(long[] order, int from, int to) {
        for (int k = from + 1; k < to; k++) {
            long inserted = order[k];
            int at = k;
            for (; at > from && order[at - 1] > inserted; at--) {
                order[at] = order[at - 1];
            }
            order[at] = inserted;
        }
    }
}
