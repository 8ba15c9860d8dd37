package petrichor.jobs.pact.compiler;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.JobGraph;

/**
 * The result of compiling a plan: job graphs, to be run one after the other. A plan without
 * iterations has one.
 */
public record Program(String name, List<Part> parts) {
    public Program {
        parts = List.copyOf(parts);
    }

    /** A part, which ends before the next one starts. */
    public sealed interface Part {
        JobGraph graph();

        Explanation explanation();
    }

    /** Runs once. */
    public record Once(JobGraph graph, Explanation explanation) implements Part {}

    /**
     * A loop: the graph reads the records kept as {@code current} and writes {@code next}, which
     * then becomes current.
     *
     * @param rounds maximum number of rounds
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
