package petrichor.jobs.pact.compiler;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.JobGraph;

/**
 * What a plan is compiled to: job graphs, to be run one after the other. A plan without iterations
 * is one.
 */
public record Program(String name, List<Part> parts) {
    public Program {
        parts = List.copyOf(parts);
    }

    /** What is done before the next part begins. */
    public sealed interface Part {
        JobGraph graph();

        Explanation explanation();
    }

    /** Runs once. */
    public record Once(JobGraph graph, Explanation explanation) implements Part {}

    /**
     * Runs again and again: the graph reads what is kept as {@code current} and leaves {@code
     * next}, which then becomes current.
     *
     * @param rounds how often at most
     * @param open another round follows only if records are kept under this name; null if only the
     *     number of rounds decides
     */
    public record Rounds(
            JobGraph graph,
            Explanation explanation,
            int rounds,
            String current,
            String next,
            @Nullable String open)
            implements Part {}
}
