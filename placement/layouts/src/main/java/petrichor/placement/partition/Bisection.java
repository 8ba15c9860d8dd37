package petrichor.placement.partition;

import java.util.Arrays;
import java.util.PriorityQueue;
import petrichor.base.PetrichorException;
import petrichor.placement.graph.Graph;

/**
 * Recursive bisection: divides the vertices into two halves with few edges between them, and each
 * half again. The path to a vertex's leaf is a number whose order keeps related vertices together,
 * so that it serves as a prefix of keys in a store of ordered ranges: the store divides the ranges
 * where it likes, and still keeps neighbours together.
 *
 * <p>A half grows from a vertex by its nearest neighbours, and is then refined: vertices that have
 * more neighbours in the other half change sides while the weights stay balanced.
 *
 * @param depth number of divisions; there are 2^depth leaves
 */
public record Bisection(int depth) {
    private static final int DEPTH_MAX = 24;
    private static final int REFINEMENTS = 12;

    /** How much of a half's weight it may have too much. */
    private static final double IMBALANCE = 0.02;

    public Bisection {
        if (depth < 1 || depth > DEPTH_MAX) {
            throw PetrichorException.invalid(
                    "the depth of a bisection is from 1 to 24, not {depth}", "depth", depth);
        }
    }

    /**
     * @return the leaf of each vertex, from 0 to 2^depth - 1
     */
    public int[] leaves(Graph undirected, double[] weights) {
        int[] leaf = new int[undirected.vertices()];
        int[] members = new int[undirected.vertices()];
        Arrays.setAll(members, k -> k);
        Halving halving = new Halving(undirected, weights, leaf);
        halving.divide(members, 0, members.length, depth);
        return leaf;
    }

    /** The state of one computation. A member of the part that is divided has its mark. */
    private static final class Halving {
        private final Graph graph;
        private final double[] weights;
        private final int[] leaf;
        private final int[] mark;
        private final boolean[] second;

        /** Neighbours in the first half, of vertices that were seen while it grows. */
        private final int[] inside;

        private final int[] seen;
        private int marks;

        Halving(Graph graph, double[] weights, int[] leaf) {
            this.graph = graph;
            this.weights = weights;
            this.leaf = leaf;
            this.mark = new int[graph.vertices()];
            this.second = new boolean[graph.vertices()];
            this.inside = new int[graph.vertices()];
            this.seen = new int[graph.vertices()];
        }

        void divide(int[] members, int from, int to, int levels) {
            if (levels == 0) {
                return;
            }
            if (to - from > 1) {
                halve(members, from, to);
            }
            int left = from;
            int right = to;
            while (left < right) {
                if (to - from > 1 && second[members[left]]) {
                    int exchanged = members[--right];
                    members[right] = members[left];
                    members[left] = exchanged;
                } else {
                    left++;
                }
            }
            for (int k = from; k < to; k++) {
                leaf[members[k]] = leaf[members[k]] << 1 | (k >= left ? 1 : 0);
            }
            divide(members, from, left, levels - 1);
            divide(members, left, to, levels - 1);
        }

        private void halve(int[] members, int from, int to) {
            marks++;
            double all = 0;
            for (int k = from; k < to; k++) {
                mark[members[k]] = marks;
                second[members[k]] = true;
                all += weights[members[k]];
            }
            double first = grow(members, from, to, all / 2);
            double tolerance = all * IMBALANCE;
            for (int round = 0; round < REFINEMENTS; round++) {
                int moved = 0;
                for (int k = from; k < to; k++) {
                    int vertex = members[k];
                    double change = second[vertex] ? weights[vertex] : -weights[vertex];
                    double before = Math.abs(first - all / 2);
                    double after = Math.abs(first + change - all / 2);
                    if (gain(vertex) > 0 && (after <= tolerance || after < before)) {
                        second[vertex] = !second[vertex];
                        first += change;
                        moved++;
                    }
                }
                if (moved == 0) {
                    return;
                }
            }
        }

        /** Neighbours in the other half, less those in the own one. */
        private int gain(int vertex) {
            int gain = 0;
            for (int k = 0; k < graph.degree(vertex); k++) {
                int near = graph.target(vertex, k);
                if (mark[near] == marks) {
                    gain += second[near] == second[vertex] ? -1 : 1;
                }
            }
            return gain;
        }

        /**
         * Puts vertices into the first half until it has the wanted weight: always the one of whose
         * neighbours most are there already, so that communities stay together (greedy graph
         * growing, Karypis and Kumar).
         */
        private double grow(int[] members, int from, int to, double wanted) {
            double first = 0;
            PriorityQueue<Reached> reached = new PriorityQueue<>();
            for (int k = from; k < to && first < wanted; k++) {
                if (!second[members[k]]) {
                    continue;
                }
                reached.add(new Reached(members[k], 0));
                while (!reached.isEmpty() && first < wanted) {
                    int vertex = reached.remove().vertex();
                    if (!second[vertex]) {
                        continue; // reached better before
                    }
                    second[vertex] = false;
                    first += weights[vertex];
                    for (int n = 0; n < graph.degree(vertex); n++) {
                        int near = graph.target(vertex, n);
                        if (mark[near] == marks && second[near]) {
                            inside[near] = seen[near] == marks ? inside[near] + 1 : 1;
                            seen[near] = marks;
                            reached.add(
                                    new Reached(near, (float) inside[near] / graph.degree(near)));
                        }
                    }
                }
            }
            return first;
        }
    }

    /**
     * A vertex beside the first half.
     *
     * @param share of its neighbours that are there
     */
    private record Reached(int vertex, float share) implements Comparable<Reached> {
        @Override
        public int compareTo(Reached other) {
            return Float.compare(other.share, share);
        }
    }
}
