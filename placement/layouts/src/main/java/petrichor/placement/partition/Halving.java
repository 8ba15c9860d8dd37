package petrichor.placement.partition;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Divides a graph into halves, and each half again. A half grows from a vertex by its nearest
 * neighbours (greedy graph growing, Karypis and Kumar), and is then refined: vertices that have
 * more neighbours in the other half change sides while the weights stay balanced. Confined to one
 * thread.
 */
final class Halving {
    private static final int REFINEMENTS = 12;

    /** How much of a half's weight it may have too much. */
    private static final double IMBALANCE = 0.02;

    private static final int INT_BITS = 32;

    private final int[] offsets;
    private final int[] targets;
    private final int @Nullable [] strengths;
    private final double[] weights;
    private final int[] leaf;

    /** A member of the part that is divided has its mark. */
    private final int[] mark;

    private final boolean[] second;

    /** Strength of the edges into the first half, of vertices that were seen while it grows. */
    private final int[] inside;

    private final int[] degree;
    private final int[] gain;
    private final int[] members;
    private final int[] exchanged;
    private int marks;

    /** The vertices beside the first half, by the share of their edges that lead there. */
    private long[] heap = new long[64];

    private int heapSize;

    /**
     * @param offsets where the edges of each vertex begin, and where the last ones end
     * @param targets of the edges, which exist in both directions
     * @param strengths of the edges; null if all are 1
     */
    Halving(int[] offsets, int[] targets, int @Nullable [] strengths, double[] weights) {
        int vertices = offsets.length - 1;
        this.offsets = offsets;
        this.targets = targets;
        this.strengths = strengths;
        this.weights = weights;
        this.leaf = new int[vertices];
        this.mark = new int[vertices];
        this.second = new boolean[vertices];
        this.inside = new int[vertices];
        this.degree = new int[vertices];
        this.gain = new int[vertices];
        this.members = new int[vertices];
        this.exchanged = new int[vertices];
        Arrays.setAll(members, vertex -> vertex);
        for (int vertex = 0; vertex < vertices; vertex++) {
            for (int at = offsets[vertex]; at < offsets[vertex + 1]; at++) {
                degree[vertex] += strength(at);
            }
        }
    }

    private int strength(int edge) {
        return strengths == null ? 1 : strengths[edge];
    }

    /**
     * The leaf of each vertex after so many divisions, from 0 to 2^depth - 1. To be called once.
     */
    int[] leaves(int depth) {
        divide(0, members.length, depth);
        return leaf;
    }

    /** The vertices in the order of their leaves, after {@link #leaves}. */
    int[] inOrder() {
        return members;
    }

    private void divide(int from, int to, int levels) {
        if (levels == 0) {
            return;
        }
        int left = to;
        if (to - from > 1) {
            halve(from, to);
            left = separate(from, to);
        }
        for (int k = from; k < to; k++) {
            leaf[members[k]] = leaf[members[k]] << 1 | (k >= left ? 1 : 0);
        }
        if (from < left) {
            divide(from, left, levels - 1);
        }
        if (left < to) {
            divide(left, to, levels - 1);
        }
    }

    /** The first half before the second; the order of the members of each is kept. */
    private int separate(int from, int to) {
        int left = from;
        int count = 0;
        for (int k = from; k < to; k++) {
            if (second[members[k]]) {
                exchanged[count++] = members[k];
            } else {
                members[left++] = members[k];
            }
        }
        System.arraycopy(exchanged, 0, members, left, count);
        return left;
    }

    private void halve(int from, int to) {
        marks++;
        double all = 0;
        for (int k = from; k < to; k++) {
            int vertex = members[k];
            mark[vertex] = marks;
            second[vertex] = true;
            inside[vertex] = 0;
            all += weights[vertex];
        }
        double first = grow(from, to, all / 2);
        for (int k = from; k < to; k++) {
            gain[members[k]] = gained(members[k]);
        }
        double tolerance = all * IMBALANCE;
        for (int round = 0; round < REFINEMENTS; round++) {
            int moved = 0;
            for (int k = from; k < to; k++) {
                int vertex = members[k];
                if (gain[vertex] <= 0) {
                    continue;
                }
                double change = second[vertex] ? weights[vertex] : -weights[vertex];
                double before = Math.abs(first - all / 2);
                double after = Math.abs(first + change - all / 2);
                if (after <= tolerance || after < before) {
                    move(vertex);
                    first += change;
                    moved++;
                }
            }
            if (moved == 0) {
                return;
            }
        }
    }

    /** Strength of the edges into the other half, less those into the own one. */
    private int gained(int vertex) {
        int gained = 0;
        for (int at = offsets[vertex]; at < offsets[vertex + 1]; at++) {
            int near = targets[at];
            if (mark[near] == marks) {
                gained += second[near] == second[vertex] ? -strength(at) : strength(at);
            }
        }
        return gained;
    }

    private void move(int vertex) {
        second[vertex] = !second[vertex];
        gain[vertex] = -gain[vertex];
        for (int at = offsets[vertex]; at < offsets[vertex + 1]; at++) {
            int near = targets[at];
            if (mark[near] == marks) {
                gain[near] += second[near] == second[vertex] ? -2 * strength(at) : 2 * strength(at);
            }
        }
    }

    /**
     * Puts vertices into the first half until it has the wanted weight: always the one of whose
     * edges the greatest share leads there, so that communities stay together.
     */
    private double grow(int from, int to, double wanted) {
        double first = 0;
        heapSize = 0;
        for (int k = from; k < to && first < wanted; k++) {
            if (!second[members[k]]) {
                continue;
            }
            push(members[k], 0);
            while (heapSize > 0 && first < wanted) {
                int vertex = (int) pop();
                if (!second[vertex]) {
                    continue; // reached better before
                }
                second[vertex] = false;
                first += weights[vertex];
                for (int at = offsets[vertex]; at < offsets[vertex + 1]; at++) {
                    int near = targets[at];
                    if (mark[near] == marks && second[near]) {
                        inside[near] += strength(at);
                        push(near, (float) inside[near] / degree[near]);
                    }
                }
            }
        }
        return first;
    }

    private void push(int vertex, float share) {
        if (heapSize == heap.length) {
            heap = Arrays.copyOf(heap, 2 * heap.length);
        }
        long entry = (long) (Integer.MAX_VALUE - Float.floatToIntBits(share)) << INT_BITS | vertex;
        int at = heapSize++;
        while (at > 0 && heap[(at - 1) / 2] > entry) {
            heap[at] = heap[(at - 1) / 2];
            at = (at - 1) / 2;
        }
        heap[at] = entry;
    }

    private long pop() {
        long least = heap[0];
        long last = heap[--heapSize];
        int at = 0;
        for (int child = 1; child < heapSize; child = 2 * at + 1) {
            if (child + 1 < heapSize && heap[child + 1] < heap[child]) {
                child++;
            }
            if (heap[child] >= last) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = last;
        return least;
    }
}
