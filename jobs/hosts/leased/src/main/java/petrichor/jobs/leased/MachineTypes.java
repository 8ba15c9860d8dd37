package petrichor.jobs.leased;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;

/**
 * On which types of machines the tasks of a job run. One that names no type runs where those run
 * whose machines it shares, else where that one runs whose records it reads first.
 */
public final class MachineTypes {
    private MachineTypes() {}

    /** By task; those that any type will do for are missing. */
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
