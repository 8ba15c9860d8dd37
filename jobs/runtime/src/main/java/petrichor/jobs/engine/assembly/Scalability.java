package petrichor.jobs.engine.assembly;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import petrichor.jobs.jobgraph.ChannelType;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.RangeBounds;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Step;

/**
 * Finds the tasks whose parallelism may change while they run without changing the result (live
 * scaling). Such a task
 *
 * <ul>
 *   <li>works on one record at a time: a relay, a source, or one annotated as stateless, followed
 *       by maps and combiners (another subtask may take over the rest of a combiner's group);
 *   <li>gets its input in any distribution and order: splits, or records that are spread evenly;
 *   <li>has no receiver that depends on the number of its subtasks: samples of ranges and channels
 *       that are merged in order are set up once for all of them, and parts of a sink are written
 *       one per subtask (a sink that would run in its threads gets threads of its own instead).
 * </ul>
 *
 * Stateless.
 */
public final class Scalability {
    private final JobGraph graph;

    private Scalability(JobGraph graph) {
        this.graph = graph;
    }

    /** The ids of such tasks. */
    public static Set<Integer> of(JobGraph graph) {
        Scalability scalability = new Scalability(graph);
        Set<Integer> found = new HashSet<>();
        for (JobVertex vertex : graph.vertices()) {
            if (scalability.keepsNothing(vertex)
                    && scalability.takesAnything(vertex)
                    && scalability.isNotCounted(vertex)) {
                found.add(vertex.id());
            }
        }
        return Set.copyOf(found);
    }

    private boolean keepsNothing(JobVertex vertex) {
        boolean works =
                switch (vertex.operation()) {
                    case Operation.Relay _, Operation.Read _ -> true;
                    case Operation.SortedReduce _ -> vertex.annotations().stateless();
                    case Operation.Write _,
                            Operation.HashAggregate _,
                            Operation.SortedAggregate _,
                            Operation.MergeJoin _,
                            Operation.HashJoin _,
                            Operation.Cross _,
                            Operation.CoGroup _ ->
                            false;
                };
        return works && hasStepsForAnybody(vertex);
    }

    /** Whether the chain computes the same at any parallelism. */
    static boolean hasStepsForAnybody(JobVertex vertex) {
        return vertex.chain().stream()
                .allMatch(
                        step ->
                                switch (step) {
                                    case Step.Map _, Step.Combine _, Step.CombineGroups _ -> true;
                                    case Step.First _ -> false;
                                });
    }

    private boolean takesAnything(JobVertex vertex) {
        return vertex.inputs().stream()
                        .allMatch(input -> input.order() instanceof InputOrder.AsTheyCome)
                && graph.incoming(vertex.id()).stream()
                        .allMatch(edge -> edge.shipping() instanceof Shipping.Rebalance);
    }

    private boolean isNotCounted(JobVertex vertex) {
        List<JobEdge> outgoing = graph.outgoing(vertex.id());
        return outgoing.stream()
                .allMatch(
                        edge -> {
                            JobVertex to = graph.vertex(edge.to());
                            boolean goesOn = !isCarried(to, edge) || isNotCounted(to);
                            return goesOn && isNotCounted(edge, to);
                        });
    }

    private static boolean isNotCounted(JobEdge edge, JobVertex to) {
        if (to.inputs().get(edge.input()).order() instanceof InputOrder.Merged) {
            return false;
        }
        return switch (edge.shipping()) {
            case Shipping.RangePartition(var _, var bounds) -> bounds instanceof RangeBounds.Given;
            case Shipping.Forward _,
                    Shipping.Rebalance _,
                    Shipping.HashPartition _,
                    Shipping.Broadcast _,
                    Shipping.FragmentAndReplicate _ ->
                    true;
        };
    }

    /** Whether the receiver of such a task's edge may be fused into its threads. */
    static boolean isCarried(JobVertex to, JobEdge edge) {
        return edge.shipping() instanceof Shipping.Forward
                && edge.channel() == ChannelType.IN_MEMORY
                && to.operation() instanceof Operation.Relay
                && hasStepsForAnybody(to);
    }
}
