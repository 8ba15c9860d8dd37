package petrichor.jobs.pact.compiler;

import petrichor.jobs.jobgraph.ChannelType;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Side;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Puts files where a pipeline could block itself. A task with two inputs may take all of one before
 * it looks at the other. If both come from the same task, that task would wait for room in the
 * channel that nobody reads, and the records that the reader waits for would never come. Then
 * everything that leads into the reader becomes a file: it begins when its inputs are complete.
 */
final class PipelineBreaks {
    private final JobGraph graph;

    private PipelineBreaks(JobGraph graph) {
        this.graph = graph;
    }

    static JobGraph in(JobGraph graph) {
        return new PipelineBreaks(graph).broken();
    }

    private JobGraph broken() {
        var broken = new HashSet<Integer>();
        for (var vertex : graph.inOrder()) {
            if (vertex.operation().inputs() == 2 && mayBlock(vertex, broken)) {
                broken.add(vertex.id());
            }
        }
        return broken.isEmpty() ? graph : withFiles(broken);
    }

    private boolean mayBlock(JobVertex vertex, Set<Integer> broken) {
        var first = origins(vertex.id(), 0, broken, false);
        var second = origins(vertex.id(), 1, broken, false);
        first.retainAll(second);
        if (first.isEmpty()) {
            return false;
        }
        // What waits behind a task that keeps everything first does not hold up those before it.
        for (var side : waitingSides(vertex)) {
            var undammed = origins(vertex.id(), side.input(), broken, true);
            undammed.retainAll(first);
            if (!undammed.isEmpty()) {
                return true;
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
                    // Sorting takes the first input, then the second; a merge takes turns.
                    isSorted(vertex, 0) ? List.of(Side.SECOND) : List.of(Side.FIRST, Side.SECOND);
            case Operation.Read _,
                    Operation.Write _,
                    Operation.Relay _,
                    Operation.SortedReduce _,
                    Operation.HashAggregate _,
                    Operation.SortedAggregate _ ->
                    List.of();
        };
    }

    private static boolean isSorted(JobVertex vertex, int input) {
        return vertex.inputs().get(input).order() instanceof InputOrder.Sorted;
    }

    /**
     * The tasks whose records come in on an input through pipelines.
     *
     * @param undammed only by ways on which no task takes everything before it emits anything
     */
    private Set<Integer> origins(int vertex, int input, Set<Integer> broken, boolean undammed) {
        var origins = new HashSet<Integer>();
        if (!broken.contains(vertex)) {
            graph.incoming(vertex, input)
                    .forEach(edge -> collect(edge.from(), broken, undammed, origins));
        }
        return origins;
    }

    private void collect(int vertex, Set<Integer> broken, boolean undammed, Set<Integer> into) {
        if (undammed && isDam(graph.vertex(vertex))) {
            // It emits, but what comes before it is not held up by it.
            into.add(vertex);
            return;
        }
        if (into.add(vertex) && !broken.contains(vertex)) {
            graph.incoming(vertex).forEach(edge -> collect(edge.from(), broken, undammed, into));
        }
    }

    private static boolean isDam(JobVertex vertex) {
        boolean sorts =
                !vertex.inputs().isEmpty()
                        && vertex.inputs().stream()
                                .allMatch(input -> input.order() instanceof InputOrder.Sorted);
        return sorts || vertex.operation() instanceof Operation.HashAggregate;
    }

    /** Stages count up where a broken task begins; an edge between stages is a file. */
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
