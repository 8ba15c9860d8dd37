package petrichor.placement.partition;

import java.util.Arrays;
import petrichor.base.PetrichorException;
import petrichor.placement.graph.Graph;

/**
 * Numbers for the vertices of a graph that serve as prefixes of keys, in two levels as Facebook's
 * Social Hash has them: streaming finds a group for each node; recursive bisection arranges the
 * groups so that related ones are neighbours, and divides each into leaves. Every group has an
 * equal part of the numbers, so that a division of the numbers into as many equal ranges separates
 * no group, and one into more or fewer ranges separates few.
 *
 * @param groups one per node
 * @param depth there are 2^depth numbers
 */
public record NestedGroups(int groups, int depth) {
    private static final int DEPTH_MAX = 24;
    private static final int PASSES = 6;
    private static final double SLACK = 1.1;

    public NestedGroups {
        if (depth < 1 || depth > DEPTH_MAX || groups < 1 || groups > 1 << depth) {
            throw PetrichorException.invalid(
                    "the depth of nested groups is from 1 to {max}, and there are 1 to 2^depth"
                            + " groups; depth: {depth}, groups: {groups}",
                    "max",
                    DEPTH_MAX,
                    "depth",
                    depth,
                    "groups",
                    groups);
        }
    }

    /**
     * @return the number of each vertex, from 0 to 2^depth - 1
     */
    public int[] numbers(Graph undirected, double[] weights) {
        int[] group = new Streaming(groups, PASSES, SLACK).partition(undirected, weights);
        int[] starts = new int[groups + 1];
        int[] members = sorted(group, starts);
        int[] rank = ranks(undirected, group, members, starts);
        int levels = Integer.SIZE - 1 - Integer.numberOfLeadingZeros((1 << depth) / groups);
        int[] local = new int[undirected.vertices()];
        int[] numbers = new int[undirected.vertices()];
        for (int one = 0; one < groups; one++) {
            int[] leaves = divided(undirected, weights, group, members, starts, one, local, levels);
            for (int k = 0; k < leaves.length; k++) {
                long leaf = ((long) rank[one] << levels) + leaves[k];
                numbers[members[starts[one] + k]] =
                        (int) Math.ceilDiv(leaf << depth, (long) groups << levels);
            }
        }
        return numbers;
    }

    /** The vertices in the order of their groups, of which each has a start. */
    private int[] sorted(int[] group, int[] starts) {
        for (int one : group) {
            starts[one + 1]++;
        }
        for (int one = 0; one < groups; one++) {
            starts[one + 1] += starts[one];
        }
        int[] next = starts.clone();
        int[] members = new int[group.length];
        for (int vertex = 0; vertex < group.length; vertex++) {
            members[next[group[vertex]]++] = vertex;
        }
        return members;
    }

    /** The leaves of the members of one group. */
    private static int[] divided(
            Graph graph,
            double[] weights,
            int[] group,
            int[] members,
            int[] starts,
            int one,
            int[] local,
            int levels) {
        int size = starts[one + 1] - starts[one];
        int edges = 0;
        double[] own = new double[size];
        for (int k = 0; k < size; k++) {
            int vertex = members[starts[one] + k];
            local[vertex] = k;
            own[k] = weights[vertex];
            edges += graph.degree(vertex);
        }
        int[] offsets = new int[size + 1];
        int[] targets = new int[edges];
        int kept = 0;
        for (int k = 0; k < size; k++) {
            int vertex = members[starts[one] + k];
            for (int e = 0; e < graph.degree(vertex); e++) {
                int near = graph.target(vertex, e);
                if (group[near] == one) {
                    targets[kept++] = local[near];
                }
            }
            offsets[k + 1] = kept;
        }
        return new Halving(offsets, targets, null, own).leaves(levels);
    }

    /** The place of each group among all: groups with many edges between them are close. */
    private int[] ranks(Graph graph, int[] group, int[] members, int[] starts) {
        int[] offsets = new int[groups + 1];
        int[] targets = new int[1024];
        int[] strengths = new int[1024];
        int[] strength = new int[groups];
        int edges = 0;
        for (int one = 0; one < groups; one++) {
            for (int k = starts[one]; k < starts[one + 1]; k++) {
                for (int e = 0; e < graph.degree(members[k]); e++) {
                    int near = group[graph.target(members[k], e)];
                    if (near == one) {
                        continue;
                    }
                    if (strength[near]++ == 0) {
                        if (edges == targets.length) {
                            targets = Arrays.copyOf(targets, 2 * edges);
                            strengths = Arrays.copyOf(strengths, 2 * edges);
                        }
                        targets[edges++] = near;
                    }
                }
            }
            for (int edge = offsets[one]; edge < edges; edge++) {
                strengths[edge] = strength[targets[edge]];
                strength[targets[edge]] = 0;
            }
            offsets[one + 1] = edges;
        }
        double[] even = new double[groups];
        Arrays.fill(even, 1);
        Halving halving = new Halving(offsets, targets, strengths, even);
        halving.leaves(Integer.SIZE - Integer.numberOfLeadingZeros(groups));
        int[] rank = new int[groups];
        for (int place = 0; place < groups; place++) {
            rank[halving.inOrder()[place]] = place;
        }
        return rank;
    }
}
