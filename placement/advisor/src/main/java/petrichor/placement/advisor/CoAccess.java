package petrichor.placement.advisor;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import petrichor.placement.graph.Graph;
import petrichor.placement.partition.NestedGroups;

/**
 * The graph of keys that operations read together, and its division into groups. Confined to one
 * thread.
 */
public final class CoAccess {
    /** Edges that are kept; operations beyond them are ignored. */
    public static final int EDGES_MAX = 4_000_000;

    /**
     * Keys of one operation that are connected with each other; each further one to one of them.
     */
    private static final int CLIQUE_MAX = 32;

    private final Map<String, Integer> numbers = new LinkedHashMap<>();
    private int[] from = new int[1024];
    private int[] to = new int[1024];
    private int edges;

    /** One operation reads these keys. */
    public void together(List<String> keys) {
        int[] vertices =
                keys.stream()
                        .distinct()
                        .mapToInt(key -> numbers.computeIfAbsent(key, _ -> numbers.size()))
                        .toArray();
        for (int k = 1; k < vertices.length; k++) {
            if (k >= CLIQUE_MAX) {
                edge(vertices[k], vertices[k % CLIQUE_MAX]);
                continue;
            }
            for (int before = 0; before < k; before++) {
                edge(vertices[k], vertices[before]);
            }
        }
    }

    private void edge(int one, int other) {
        if (edges == EDGES_MAX) {
            return;
        }
        if (edges == from.length) {
            from = Arrays.copyOf(from, 2 * edges);
            to = Arrays.copyOf(to, 2 * edges);
        }
        from[edges] = one;
        to[edges++] = other;
    }

    /** Number of different keys. */
    public int keys() {
        return numbers.size();
    }

    /** Whether any keys are read together. */
    public boolean isEmpty() {
        return edges == 0;
    }

    /**
     * The group of each key. Groups with close numbers are related, so that a range of groups is a
     * good part of a node; see {@link NestedGroups}.
     *
     * @param depth there are 2^depth groups
     * @param weight tuples of a key; 1 for keys that are absent
     * @param nodes among which the groups are divided; at most 2^depth
     */
    public Map<String, Integer> groups(int depth, Map<String, Double> weight, int nodes) {
        Graph graph =
                Graph.of(numbers.size(), Arrays.copyOf(from, edges), Arrays.copyOf(to, edges))
                        .undirected();
        double[] weights = new double[numbers.size()];
        numbers.forEach((key, number) -> weights[number] = weight.getOrDefault(key, 1.0));
        int[] assigned = new NestedGroups(nodes, depth).numbers(graph, weights);
        Map<String, Integer> groups = new HashMap<>();
        numbers.forEach((key, number) -> groups.put(key, assigned[number]));
        return groups;
    }
}
