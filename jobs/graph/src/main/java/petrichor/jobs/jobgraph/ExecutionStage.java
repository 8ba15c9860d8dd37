package petrichor.jobs.jobgraph;

import java.util.List;

/**
 * Tasks that run at the same time. A stage starts when the one before it has finished, and what
 * lies between them lies in files: it can be started again from there.
 *
 * @param number from 0
 * @param vertices ids of its tasks
 */
public record ExecutionStage(int number, List<Integer> vertices) {
    public ExecutionStage {
        vertices = List.copyOf(vertices);
    }
}
