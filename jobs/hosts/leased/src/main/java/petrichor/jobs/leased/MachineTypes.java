package petrichor.jobs.leased;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;

/**
 * Computes the machine types of a job's tasks. A task that names no type uses that of the task
 * whose machines it shares, else that of the task whose records it reads first.
 */
public final class MachineTypes {
    private MachineTypes() {}

    /** By task; tasks without an entry may use any type. */
    public static Map<Integer, String> of(JobGraph graph) {
        Map<Integer, String> types = new HashMap<>();
        for (JobVertex vertex : graph.inOrder()) {
            String type = type(graph, vertex, types);
            if (type != null) {
                types.put(vertex.id(), type);
            }
        }
        return types;
    }

    private static @Nullable String type(
            JobGraph graph, JobVertex vertex, Map<Integer, String> known) {
        String own = vertex.annotations().instanceType();
        Integer shared = vertex.annotations().sharesInstanceWith();
        if (own != null) {
            return own;
        }
        if (shared != null) {
            String of = graph.vertex(shared).annotations().instanceType();
            return of == null ? known.get(shared) : of;
        }
        List<JobEdge> incoming = graph.incoming(vertex.id());
        return incoming.isEmpty() ? null : known.get(incoming.getFirst().from());
    }
}
