package petrichor.placement.partition;

import petrichor.base.PetrichorException;

/**
 * Divides tuples with numbered prefixes among nodes. Prefixes that {@link NestedGroups} assigned
 * are divided into equal ranges of numbers, because those separate no group. Where such a range has
 * too many tuples, another boundary between numbers is taken, and if a single number has too many,
 * its tuples are divided. Pure functions.
 */
public final class PrefixRanges {
    /** Most tuples of a node over the mean. */
    public static final double SLACK = 1.12;

    /** A node has at least this share of the tuples that it should have. */
    private static final double SHARE_MIN = 0.5;

    private PrefixRanges() {}

    /**
     * @param tuples of each number
     * @return the first tuple of each node, and the number of tuples; ascending
     */
    public static long[] starts(long[] tuples, int nodes) {
        if (nodes < 1 || tuples.length == 0) {
            throw PetrichorException.invalid(
                    "prefixes are divided among at least one node; nodes: {nodes}, prefixes:"
                            + " {prefixes}",
                    "nodes",
                    nodes,
                    "prefixes",
                    tuples.length);
        }
        long[] until = new long[tuples.length + 1];
        for (int number = 0; number < tuples.length; number++) {
            until[number + 1] = until[number] + tuples[number];
        }
        long[] even = new long[nodes + 1];
        for (int node = 0; node <= nodes; node++) {
            even[node] = until[(int) Math.ceilDiv((long) node * tuples.length, nodes)];
        }
        long total = until[tuples.length];
        long most = (long) Math.ceil(SLACK * total / nodes);
        long[] starts = new long[nodes + 1];
        int next = 0;
        int number = 0;
        for (int node = 0; node < nodes; node++) {
            long start = starts[node];
            long wanted = (total - start) / (nodes - node);
            // The nodes after this one must be able to hold the rest.
            long rest = total - (nodes - node - 1) * most;
            long least = Math.max(start + (long) (SHARE_MIN * wanted), rest);
            next = beyond(even, next, least);
            number = beyond(until, number, least);
            long end = nearest(even, next, start + wanted, start + most);
            if (end < 0) {
                end = nearest(until, number, start + wanted, start + most);
            }
            starts[node + 1] = end < 0 ? start + wanted : end;
        }
        starts[nodes] = total;
        return starts;
    }

    /** The first boundary at or beyond a position. */
    private static int beyond(long[] boundaries, int from, long position) {
        int at = from;
        while (at < boundaries.length - 1 && boundaries[at] < position) {
            at++;
        }
        return at;
    }

    /** The boundary that is nearest to the wanted one, at most at the last one; or -1. */
    private static long nearest(long[] boundaries, int from, long wanted, long last) {
        long nearest = -1;
        for (int at = from; at < boundaries.length && boundaries[at] <= last; at++) {
            if (nearest >= 0 && Math.abs(boundaries[at] - wanted) >= Math.abs(nearest - wanted)) {
                break;
            }
            nearest = boundaries[at];
        }
        return nearest;
    }
}
