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
import petrichor.jobs.jobgraph.Shipping;

/**
 * Operator fusion: finds the tasks that need no thread because they only relay, or write, the
 * records that one other task forwards to them in memory. They become part of its chain, and no
 * record is copied between the two. Immutable.
 */
public final class Fusion {
    private final Set<Integer> fused = new HashSet<>();

    public Fusion(JobGraph graph) {
        this(graph, Set.of());
    }

    /**
     * @param scalable tasks whose parallelism may change, see {@link Scalability}: only operations
     *     that work at any parallelism are fused into their chains
     */
    public Fusion(JobGraph graph, Set<Integer> scalable) {
        Set<Integer> comeAndGo = new HashSet<>(scalable);
        for (JobVertex vertex : graph.inOrder()) {
            List<JobEdge> incoming = graph.incoming(vertex.id());
            if (handsOn(vertex.operation()) && forwarded(incoming, vertex)) {
                JobEdge edge = incoming.getFirst();
                boolean inMany = comeAndGo.contains(edge.from());
                if (!inMany || Scalability.isCarried(vertex, edge)) {
                    fused.add(vertex.id());
                    if (inMany) {
                        comeAndGo.add(vertex.id());
                    }
                }
            }
        }
    }

    private static boolean handsOn(Operation operation) {
        return operation instanceof Operation.Relay || operation instanceof Operation.Write;
    }

    private static boolean forwarded(List<JobEdge> incoming, JobVertex vertex) {
        return incoming.size() == 1
                && incoming.getFirst().shipping() instanceof Shipping.Forward
                && incoming.getFirst().channel() == ChannelType.IN_MEMORY
                && vertex.annotations().instanceType() == null
                && vertex.inputs().getFirst().order() instanceof InputOrder.AsTheyCome;
    }

    public boolean isFused(JobVertex vertex) {
        return fused.contains(vertex.id());
    }
}
