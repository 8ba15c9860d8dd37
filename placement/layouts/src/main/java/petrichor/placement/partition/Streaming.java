package petrichor.placement.partition;

import java.util.Arrays;
import petrichor.base.PetrichorException;
import petrichor.placement.graph.Graph;

/**
 * Linear deterministic greedy partitioning (Stanton and Kliot, KDD 2012): each vertex goes to the
 * group that holds most of its neighbours, weighted by what is free in the group. The stream is
 * repeated ("restreaming", Nishimura and Ugander, KDD 2013), because the first pass knows few
 * neighbours.
 *
 * @param groups number of groups
 * @param passes over all vertices
 * @param slack how much a group may be larger than the mean: 1.1 is a tenth
 */
public record Streaming(int groups, int passes, double slack) {
    public Streaming {
        if (groups < 1 || passes < 1 || !(slack >= 1)) {
            throw PetrichorException.invalid(
                    "partitioning needs at least one group, one pass and a slack of 1; groups:"
                            + " {groups}, passes: {passes}, slack: {slack}",
                    "groups",
                    groups,
                    "passes",
                    passes,
                    "slack",
                    slack);
        }
    }

    /**
     * @param undirected see {@link Graph#undirected}
     * @param weights what each vertex takes of its group; a vertex that is heavier than a group may
     *     be gets one almost by itself
     * @return the group of each vertex
     */
    public int[] partition(Graph undirected, double[] weights) {
        int[] group = new int[undirected.vertices()];
        Arrays.fill(group, -1);
        return restream(undirected, weights, group);
    }

    /**
     * Adapts groups to a graph that has changed; most vertices keep theirs.
     *
     * @param former the group of each vertex; -1 for new vertices. Not changed
     * @return the group of each vertex
     */
    public int[] restream(Graph undirected, double[] weights, int[] former) {
        int vertices = undirected.vertices();
        double capacity = slack * Arrays.stream(weights).sum() / groups;
        int[] group = former.clone();
        double[] load = new double[groups];
        for (int vertex = 0; vertex < vertices; vertex++) {
            if (group[vertex] >= 0) {
                load[group[vertex]] += weights[vertex];
            }
        }
        int[] neighbours = new int[groups];
        int[] touched = new int[groups];
        for (int pass = 0; pass < passes; pass++) {
            for (int vertex = 0; vertex < vertices; vertex++) {
                if (group[vertex] >= 0) {
                    load[group[vertex]] -= weights[vertex];
                    group[vertex] = -1;
                }
                int count = 0;
                for (int k = 0; k < undirected.degree(vertex); k++) {
                    int near = group[undirected.target(vertex, k)];
                    if (near >= 0 && neighbours[near]++ == 0) {
                        touched[count++] = near;
                    }
                }
                int chosen = best(count, touched, neighbours, load, capacity, weights[vertex]);
                for (int k = 0; k < count; k++) {
                    neighbours[touched[k]] = 0;
                }
                group[vertex] = chosen;
                load[chosen] += weights[vertex];
            }
        }
        return group;
    }

    private int best(
            int count,
            int[] touched,
            int[] neighbours,
            double[] load,
            double capacity,
            double weight) {
        int chosen = -1;
        double highest = 0;
        for (int k = 0; k < count; k++) {
            int candidate = touched[k];
            double free = 1 - (load[candidate] + weight) / capacity;
            double score = neighbours[candidate] * free;
            if (score > highest) {
                highest = score;
                chosen = candidate;
            }
        }
        return chosen >= 0 ? chosen : lightest(load);
    }

    private static int lightest(double[] load) {
        int lightest = 0;
        for (int k = 1; k < load.length; k++) {
            if (load[k] < load[lightest]) {
                lightest = k;
            }
        }
        return lightest;
    }
}
