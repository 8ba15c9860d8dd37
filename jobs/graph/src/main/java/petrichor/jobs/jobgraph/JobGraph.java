package petrichor.jobs.jobgraph;

import java.io.Serializable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * A job: tasks and the edges between them. Immutable. The constructor does not validate; {@link
 * #checked()} does, and every runner of a graph calls it first.
 */
public record JobGraph(String name, List<JobVertex> vertices, List<JobEdge> edges)
        implements Serializable {
    public JobGraph {
        vertices = List.copyOf(vertices);
        edges = List.copyOf(edges);
    }

    /** This graph, if it is valid; otherwise fails with a list of all errors. */
    public JobGraph checked() {
        var problems = JobGraphCheck.problems(this);
        if (!problems.isEmpty()) {
            throw PetrichorException.invalid(
                    "the job \"{name}\" cannot run: {problems}",
                    "name",
                    name,
                    "problems",
                    String.join("; ", problems));
        }
        return this;
    }

    public JobVertex vertex(int id) {
        for (var vertex : vertices) {
            if (vertex.id() == id) {
                return vertex;
            }
        }
        throw PetrichorException.of(
                ErrorCode.NOT_FOUND,
                "the job \"{name}\" has no vertex {id}",
                "name",
                name,
                "id",
                id);
    }

    public List<JobEdge> outgoing(int vertex) {
        return edges.stream().filter(edge -> edge.from() == vertex).toList();
    }

    /** All edges to a vertex, by input. */
    public List<JobEdge> incoming(int vertex) {
        return edges.stream()
                .filter(edge -> edge.to() == vertex)
                .sorted((a, b) -> Integer.compare(a.input(), b.input()))
                .toList();
    }

    public List<JobEdge> incoming(int vertex, int input) {
        return edges.stream().filter(edge -> edge.to() == vertex && edge.input() == input).toList();
    }

    /** The vertices in topological order, without those on or after a cycle. */
    public List<JobVertex> inOrder() {
        Map<Integer, Integer> open = new HashMap<>();
        for (var vertex : vertices) {
            open.put(vertex.id(), incoming(vertex.id()).size());
        }
        var ready = new ArrayDeque<JobVertex>();
        vertices.stream()
                .filter(vertex -> open.getOrDefault(vertex.id(), 0) == 0)
                .forEach(ready::add);
        var ordered = new ArrayList<JobVertex>(vertices.size());
        while (!ready.isEmpty()) {
            var next = ready.remove();
            ordered.add(next);
            for (var edge : outgoing(next.id())) {
                if (open.merge(edge.to(), -1, Integer::sum) == 0) {
                    ready.add(vertex(edge.to()));
                }
            }
        }
        return ordered;
    }
}
