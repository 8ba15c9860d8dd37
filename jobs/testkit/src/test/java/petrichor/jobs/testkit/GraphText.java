package petrichor.jobs.testkit;

import java.util.stream.Collectors;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;

/** A job graph as text with a line per task, for expectations. */
final class GraphText {
    private GraphText() {}

    static String of(JobGraph graph) {
        return graph.inOrder().stream()
                .map(vertex -> line(graph, vertex))
                .collect(Collectors.joining("\n"));
    }

    private static String line(JobGraph graph, JobVertex vertex) {
        var edges =
                graph.incoming(vertex.id()).stream()
                        .map(
                                edge ->
                                        " <"
                                                + edge.input()
                                                + "- "
                                                + edge.from()
                                                + " "
                                                + edge.shipping().getClass().getSimpleName()
                                                + "/"
                                                + edge.channel())
                        .collect(Collectors.joining());
        return "task "
                + vertex.id()
                + " "
                + vertex.name()
                + " x"
                + vertex.parallelism()
                + (vertex.annotations().stateless() ? " stateless" : "")
                + edges;
    }
}
