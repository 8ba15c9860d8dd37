package petrichor.testing.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A graph of the dependencies between transactions. A cycle means that no serial order exists.
 * Nodes are small integers. Confined to one thread.
 */
final class DependencyGraph {
    /** Why one transaction must precede another. */
    enum Dependency {
        /** The second overwrote what the first wrote. */
        WRITE_WRITE,
        /** The second read what the first wrote. */
        WRITE_READ,
        /** The second overwrote what the first had read. */
        READ_WRITE,
        /** The same, where the first had read a range. */
        RANGE_READ_WRITE,
        /** The first completed before the second started. */
        REAL_TIME
    }

    private static final Set<Dependency> WRITES = EnumSet.of(Dependency.WRITE_WRITE);
    private static final Set<Dependency> READS =
            EnumSet.of(Dependency.WRITE_WRITE, Dependency.WRITE_READ);
    private static final Set<Dependency> ITEMS =
            EnumSet.of(Dependency.WRITE_WRITE, Dependency.WRITE_READ, Dependency.READ_WRITE);
    private static final Set<Dependency> DATA =
            EnumSet.complementOf(EnumSet.of(Dependency.REAL_TIME));
    private static final Set<Dependency> ALL = EnumSet.allOf(Dependency.class);

    private record Edge(int from, int to, Dependency why) {}

    private final List<List<Edge>> outgoing = new ArrayList<>();
    private final IntFunction<@Nullable String> names;

    /**
     * @param names display name of a node; null for a node that represents a point in time
     */
    DependencyGraph(IntFunction<@Nullable String> names) {
        this.names = names;
    }

    void add(int from, int to, Dependency why) {
        while (outgoing.size() <= Math.max(from, to)) {
            outgoing.add(new ArrayList<>());
        }
        outgoing.get(from).add(new Edge(from, to, why));
    }

    /** One anomaly per strongly connected component: the most basic one. */
    List<Anomaly> anomalies() {
        List<Anomaly> found = new ArrayList<>();
        boolean[] explained = new boolean[outgoing.size()];
        cyclesIn(WRITES, Anomaly.Kind.G0, explained, found);
        cyclesIn(READS, Anomaly.Kind.G1C, explained, found);
        singleAntiDependencies(explained, found);
        cyclesIn(ITEMS, Anomaly.Kind.G2_ITEM, explained, found);
        cyclesIn(DATA, Anomaly.Kind.G2, explained, found);
        cyclesIn(ALL, Anomaly.Kind.REAL_TIME, explained, found);
        return found;
    }

    private void cyclesIn(
            Set<Dependency> allowed, Anomaly.Kind kind, boolean[] explained, List<Anomaly> found) {
        for (List<Integer> knot : knots(allowed)) {
            if (knot.stream().noneMatch(node -> explained[node])) {
                int start = firstNamed(knot);
                for (Edge edge : outgoing.get(start)) {
                    List<Edge> back =
                            allowed.contains(edge.why) ? path(edge.to, start, allowed) : null;
                    if (back != null) {
                        found.add(new Anomaly(kind, describe(edge, back)));
                        break;
                    }
                }
            }
            knot.forEach(node -> explained[node] = true);
        }
    }

    private int firstNamed(List<Integer> knot) {
        for (int node : knot) {
            if (names.apply(node) != null) {
                return node;
            }
        }
        return knot.getFirst();
    }

    private void singleAntiDependencies(boolean[] explained, List<Anomaly> found) {
        for (List<Integer> knot : knots(DATA)) {
            if (knot.stream().anyMatch(node -> explained[node])) {
                continue;
            }
            Anomaly single = singleAntiDependency(knot);
            if (single != null) {
                found.add(single);
                knot.forEach(node -> explained[node] = true);
            }
        }
    }

    private @Nullable Anomaly singleAntiDependency(List<Integer> knot) {
        for (int node : knot) {
            for (Edge edge : outgoing.get(node)) {
                if (edge.why == Dependency.READ_WRITE || edge.why == Dependency.RANGE_READ_WRITE) {
                    List<Edge> back = path(edge.to, node, READS);
                    if (back != null) {
                        return new Anomaly(Anomaly.Kind.G_SINGLE, describe(edge, back));
                    }
                }
            }
        }
        return null;
    }

    /** The shortest path; empty if both are the same node, null if there is none. */
    private @Nullable List<Edge> path(int from, int to, Set<Dependency> allowed) {
        @Nullable Edge[] cameBy = new @Nullable Edge[outgoing.size()];
        Deque<Integer> queue = new ArrayDeque<>(List.of(from));
        boolean[] seen = new boolean[outgoing.size()];
        seen[from] = true;
        while (!queue.isEmpty()) {
            int node = queue.remove();
            if (node == to) {
                List<Edge> way = new ArrayList<>();
                for (Edge edge = cameBy[to]; edge != null; edge = cameBy[edge.from]) {
                    way.addFirst(edge);
                }
                return way;
            }
            for (Edge edge : outgoing.get(node)) {
                if (allowed.contains(edge.why) && !seen[edge.to]) {
                    seen[edge.to] = true;
                    cameBy[edge.to] = edge;
                    queue.add(edge.to);
                }
            }
        }
        return null;
    }

    private String describe(Edge first, List<Edge> rest) {
        StringBuilder text = new StringBuilder(name(first.from));
        step(text, first);
        rest.forEach(edge -> step(text, edge));
        return text.toString();
    }

    private void step(StringBuilder text, Edge edge) {
        String name = names.apply(edge.to);
        if (name != null) {
            text.append(" -").append(edge.why).append("-> ").append(name);
        }
    }

    private String name(int node) {
        String name = names.apply(node);
        return name == null ? "(a moment)" : name;
    }

    /**
     * Strongly connected components of more than one node: Tarjan's algorithm without recursion.
     */
    private List<List<Integer>> knots(Set<Dependency> allowed) {
        int size = outgoing.size();
        int[] order = new int[size];
        int[] low = new int[size];
        int[] next = new int[size];
        boolean[] open = new boolean[size];
        Arrays.fill(order, -1);
        List<List<Integer>> knots = new ArrayList<>();
        Deque<Integer> walk = new ArrayDeque<>();
        Deque<Integer> component = new ArrayDeque<>();
        int count = 0;
        for (int root = 0; root < size; root++) {
            if (order[root] >= 0) {
                continue;
            }
            walk.push(root);
            while (!walk.isEmpty()) {
                int node = walk.peek();
                if (order[node] < 0) {
                    order[node] = low[node] = count++;
                    component.push(node);
                    open[node] = true;
                }
                List<Edge> edges = outgoing.get(node);
                if (next[node] < edges.size()) {
                    Edge edge = edges.get(next[node]++);
                    if (!allowed.contains(edge.why)) {
                        continue;
                    }
                    if (order[edge.to] < 0) {
                        walk.push(edge.to);
                    } else if (open[edge.to]) {
                        low[node] = Math.min(low[node], order[edge.to]);
                    }
                    continue;
                }
                walk.pop();
                if (!walk.isEmpty()) {
                    low[walk.peek()] = Math.min(low[walk.peek()], low[node]);
                }
                if (low[node] == order[node]) {
                    List<Integer> knot = new ArrayList<>();
                    int member;
                    do {
                        member = component.pop();
                        open[member] = false;
                        knot.add(member);
                    } while (member != node);
                    if (knot.size() > 1) {
                        knots.add(knot);
                    }
                }
            }
        }
        return knots;
    }
}
