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
 * Finds the inputs at which blocking a sender could deadlock. A task that reads its inputs one
 * after the other blocks the senders of the second one; if both come from the same task, that task
 * blocks and starves the first. The same happens when channels are merged in order and their
 * senders feed several receivers. Stateless.
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

    /** All concurrent tasks from which these edges lead to the receiver. */
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
