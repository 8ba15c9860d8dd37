package petrichor.jobs.pact.compiler;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import petrichor.jobs.jobgraph.ChannelType;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Side;

/**
 * Inserts files where pipelines could deadlock. A task with two inputs may read all of one before
 * the other. Until then the producers of the other are blocked by back-pressure, and so depend on
 * all producers of the first. If such dependencies form a cycle (in the simplest case both inputs
 * come from one task; or one join waits for a second which waits for the first), no task could make
 * progress. Then all inputs of such a task become files: it starts when its inputs are complete,
 * and blocks no producer.
 */
final class PipelineBreaks {
    private final JobGraph graph;

    /** By task: the tasks that have to end before it can continue. */
    private final Map<Integer, Set<Integer>> waits = new HashMap<>();

    private PipelineBreaks(JobGraph graph) {
        this.graph = graph;
    }

    static JobGraph in(JobGraph graph) {
        return new PipelineBreaks(graph).broken();
    }

    private JobGraph broken() {
        var broken = new HashSet<Integer>();
        for (var vertex : graph.inOrder()) {
            if (vertex.operation().inputs() == 2 && closesCircle(vertex, broken)) {
                broken.add(vertex.id());
            }
        }
        return broken.isEmpty() ? graph : withFiles(broken);
    }

    /** Whether the waits that a task causes close a cycle; if not, they are recorded. */
    private boolean closesCircle(JobVertex vertex, Set<Integer> broken) {
        if (takesTurns(vertex) && haveCommonOrigin(vertex, broken)) {
            return true;
        }
        Map<Integer, Set<Integer>> caused = new HashMap<>();
        for (var side : waitingSides(vertex)) {
            var needed = origins(vertex.id(), side.other().input(), broken, false);
            // A task that buffers its whole input first shields its producers from waits after it.
            for (int waiting : origins(vertex.id(), side.input(), broken, true)) {
                caused.computeIfAbsent(waiting, _ -> new HashSet<>()).addAll(needed);
            }
        }
        for (var wait : caused.entrySet()) {
            if (wait.getValue().stream()
                    .anyMatch(needed -> leadsTo(needed, wait.getKey(), caused))) {
                return true;
            }
        }
        caused.forEach(
                (waiting, needed) ->
                        waits.computeIfAbsent(waiting, _ -> new HashSet<>()).addAll(needed));
        return false;
    }

    /** Whether one task waits, directly or transitively, for another. */
    private boolean leadsTo(int from, int to, Map<Integer, Set<Integer>> caused) {
        var seen = new HashSet<Integer>();
        var open = new ArrayDeque<Integer>(List.of(from));
        while (!open.isEmpty()) {
            int at = open.remove();
            if (at == to) {
                return true;
            }
            if (seen.add(at)) {
                open.addAll(waits.getOrDefault(at, Set.of()));
                open.addAll(caused.getOrDefault(at, Set.of()));
            }
        }
        return false;
    }

    /** The inputs that a task does not read while it is still reading the other. */
    private static List<Side> waitingSides(JobVertex vertex) {
        return switch (vertex.operation()) {
            case Operation.HashJoin join -> List.of(join.build().other());
            case Operation.Cross cross -> List.of(cross.outer());
            case Operation.MergeJoin _, Operation.CoGroup _ ->
                    // An input is sorted as soon as it is opened, the first before the second.
                    isSorted(vertex, 0) || !isSorted(vertex, 1)
                            ? List.of(Side.SECOND)
                            : List.of(Side.FIRST);
            case Operation.Read _,
                    Operation.Write _,
                    Operation.Relay _,
                    Operation.SortedReduce _,
                    Operation.HashAggregate _,
                    Operation.SortedAggregate _ ->
                    List.of();
        };
    }

    /** A merge of two ordered inputs reads both alternately. */
    private static boolean takesTurns(JobVertex vertex) {
        boolean merges =
                vertex.operation() instanceof Operation.MergeJoin
                        || vertex.operation() instanceof Operation.CoGroup;
        return merges && !isSorted(vertex, 0) && !isSorted(vertex, 1);
    }

    private boolean haveCommonOrigin(JobVertex vertex, Set<Integer> broken) {
        var common = origins(vertex.id(), 0, broken, true);
        common.retainAll(origins(vertex.id(), 1, broken, true));
        return !common.isEmpty();
    }

    private static boolean isSorted(JobVertex vertex, int input) {
        return vertex.inputs().get(input).order() instanceof InputOrder.Sorted;
    }

    /**
     * The tasks whose records reach an input through pipelines.
     *
     * @param unblocked only by paths without a task that reads everything before it emits anything
     */
    private Set<Integer> origins(int vertex, int input, Set<Integer> broken, boolean unblocked) {
        var origins = new HashSet<Integer>();
        if (!broken.contains(vertex)) {
            graph.incoming(vertex, input)
                    .forEach(edge -> collect(edge.from(), broken, unblocked, origins));
        }
        return origins;
    }

    private void collect(int vertex, Set<Integer> broken, boolean unblocked, Set<Integer> into) {
        if (unblocked && isBlocking(graph.vertex(vertex))) {
            // It emits, but does not block the tasks before it.
            into.add(vertex);
            return;
        }
        if (into.add(vertex) && !broken.contains(vertex)) {
            graph.incoming(vertex).forEach(edge -> collect(edge.from(), broken, unblocked, into));
        }
    }

    private static boolean isBlocking(JobVertex vertex) {
        boolean sorts =
                !vertex.inputs().isEmpty()
                        && vertex.inputs().stream()
                                .allMatch(input -> input.order() instanceof InputOrder.Sorted);
        return sorts || vertex.operation() instanceof Operation.HashAggregate;
    }

    /**
     * The stage number is incremented where a broken task starts; an edge between stages is a file.
     */
    private JobGraph withFiles(Set<Integer> broken) {
        Map<Integer, Integer> stages = new HashMap<>();
        for (var vertex : graph.inOrder()) {
            int stage = 0;
            for (var edge : graph.incoming(vertex.id())) {
                int before = stages.getOrDefault(edge.from(), 0);
                stage = Math.max(stage, broken.contains(vertex.id()) ? before + 1 : before);
            }
            stages.put(vertex.id(), stage);
        }
        var edges = new ArrayList<JobEdge>();
        for (var edge : graph.edges()) {
            boolean between =
                    stages.getOrDefault(edge.from(), 0) < stages.getOrDefault(edge.to(), 0);
            edges.add(
                    between
                            ? new JobEdge(
                                    edge.from(),
                                    edge.to(),
                                    edge.input(),
                                    edge.shipping(),
                                    ChannelType.FILE)
                            : edge);
        }
        return new JobGraph(graph.name(), graph.vertices(), edges);
    }
}
