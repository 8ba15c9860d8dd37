package petrichor.jobs.engine.assembly;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import petrichor.jobs.jobgraph.ChannelType;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;

/**
 * Finds the inputs at which waiting could close a circle. A task that reads its inputs one after
 * the other lets the second one wait; if both come from one task, that one waits too, and with it
 * the first. The same happens when channels are merged in order and their senders feed several
 * receivers. Stateless.
 */
final class Elasticity {
    private Elasticity() {}

    static boolean needed(JobGraph graph, JobVertex vertex, int input) {
        return switch (vertex.inputs().get(input).order()) {
            case InputOrder.Buffered _ -> true;
            case InputOrder.Merged _ -> vertex.parallelism() > 1;
            case InputOrder.AsTheyCome _, InputOrder.Sorted _ -> sharesSender(graph, vertex, input);
        };
    }

    private static boolean sharesSender(JobGraph graph, JobVertex vertex, int input) {
        if (vertex.inputs().size() < 2) {
            return false;
        }
        Set<Integer> mine = ancestors(graph, graph.incoming(vertex.id(), input));
        mine.retainAll(ancestors(graph, graph.incoming(vertex.id(), 1 - input)));
        return !mine.isEmpty();
    }

    /** All tasks that run at the same time as the receiver and lead to it over these edges. */
    private static Set<Integer> ancestors(JobGraph graph, List<JobEdge> edges) {
        Set<Integer> found = new HashSet<>();
        ArrayDeque<JobEdge> open = new ArrayDeque<>(edges);
        while (!open.isEmpty()) {
            JobEdge edge = open.remove();
            if (edge.channel() != ChannelType.FILE && found.add(edge.from())) {
                open.addAll(graph.incoming(edge.from()));
            }
        }
        return found;
    }
}
