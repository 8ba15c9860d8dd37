package petrichor.placement.graph;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/** A directed graph over the vertices 0 to n - 1, without loops and repeated edges. Immutable. */
public final class Graph {
    private final int[] offsets;
    private final int[] targets;

    private Graph(int[] offsets, int[] targets) {
        this.offsets = offsets;
        this.targets = targets;
    }

    /**
     * Loops and repeated edges are dropped.
     *
     * @param from sources of the edges, parallel to {@code to}
     */
    public static Graph of(int vertices, int[] from, int[] to) {
        int[] ends = counted(vertices, from);
        int[] sorted = new int[to.length];
        int[] next = Arrays.copyOf(ends, vertices);
        for (int edge = 0; edge < to.length; edge++) {
            sorted[next[from[edge]]++] = to[edge];
        }
        int[] offsets = new int[vertices + 1];
        int kept = 0;
        for (int vertex = 0; vertex < vertices; vertex++) {
            Arrays.sort(sorted, ends[vertex], ends[vertex + 1]);
            int previous = -1;
            for (int at = ends[vertex]; at < ends[vertex + 1]; at++) {
                int target = sorted[at];
                if (target != previous && target != vertex) {
                    sorted[kept++] = target;
                }
                previous = target;
            }
            offsets[vertex + 1] = kept;
        }
        return new Graph(offsets, Arrays.copyOf(sorted, kept));
    }

    private static int[] counted(int vertices, int[] from) {
        int[] ends = new int[vertices + 1];
        for (int vertex : from) {
            ends[vertex + 1]++;
        }
        for (int vertex = 0; vertex < vertices; vertex++) {
            ends[vertex + 1] += ends[vertex];
        }
        return ends;
    }

    public int vertices() {
        return offsets.length - 1;
    }

    public int edges() {
        return targets.length;
    }

    public int degree(int vertex) {
        return offsets[vertex + 1] - offsets[vertex];
    }

    /** A neighbour of a vertex; neighbours are numbered in ascending order. */
    public int target(int vertex, int number) {
        return targets[offsets[vertex] + number];
    }

    /** The same edges, each in the other direction. */
    public Graph reversed() {
        int[] starts = counted(vertices(), targets);
        int[] sources = new int[targets.length];
        int[] next = Arrays.copyOf(starts, vertices());
        for (int vertex = 0; vertex < vertices(); vertex++) {
            for (int at = offsets[vertex]; at < offsets[vertex + 1]; at++) {
                sources[next[targets[at]]++] = vertex;
            }
        }
        return new Graph(starts, sources);
    }

    /** The same edges in both directions. */
    public Graph undirected() {
        return merged(reversed());
    }

    /**
     * The edges of both graphs.
     *
     * @param other with the same vertices
     */
    public Graph merged(Graph other) {
        int[] merged = new int[Math.addExact(targets.length, other.targets.length)];
        int[] starts = new int[offsets.length];
        int kept = 0;
        for (int vertex = 0; vertex < vertices(); vertex++) {
            int one = offsets[vertex];
            int two = other.offsets[vertex];
            while (one < offsets[vertex + 1] && two < other.offsets[vertex + 1]) {
                int difference = targets[one] - other.targets[two];
                merged[kept++] = difference <= 0 ? targets[one] : other.targets[two];
                one += difference <= 0 ? 1 : 0;
                two += difference >= 0 ? 1 : 0;
            }
            int rest = offsets[vertex + 1] - one;
            System.arraycopy(targets, one, merged, kept, rest);
            kept += rest;
            rest = other.offsets[vertex + 1] - two;
            System.arraycopy(other.targets, two, merged, kept, rest);
            kept += rest;
            starts[vertex + 1] = kept;
        }
        return new Graph(starts, Arrays.copyOf(merged, kept));
    }

    /** Edges between vertices of different groups, as a share of all: the mixing parameter. */
    public double mixing(IntUnaryOperator group) {
        long crossing = 0;
        for (int vertex = 0; vertex < vertices(); vertex++) {
            int own = group.applyAsInt(vertex);
            for (int at = offsets[vertex]; at < offsets[vertex + 1]; at++) {
                if (group.applyAsInt(targets[at]) != own) {
                    crossing++;
                }
            }
        }
        return edges() == 0 ? 0 : (double) crossing / edges();
    }

    /**
     * Newman's modularity of a division into groups, in the version for directed graphs: the share
     * of edges inside groups, less that of a random graph with the same degrees.
     */
    public double modularity(IntUnaryOperator group, int groups) {
        long[] out = new long[groups];
        long[] in = new long[groups];
        for (int vertex = 0; vertex < vertices(); vertex++) {
            out[group.applyAsInt(vertex)] += degree(vertex);
            for (int at = offsets[vertex]; at < offsets[vertex + 1]; at++) {
                in[group.applyAsInt(targets[at])]++;
            }
        }
        double expected = 0;
        for (int k = 0; k < groups; k++) {
            expected += (double) out[k] / edges() * in[k] / edges();
        }
        return edges() == 0 ? 0 : 1 - mixing(group) - expected;
    }
}
