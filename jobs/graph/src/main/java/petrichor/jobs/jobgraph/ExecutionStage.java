package petrichor.jobs.jobgraph;

import java.util.List;

/**
 * Tasks that run at the same time. A stage starts when the previous one has finished, and stages
 * exchange data through files: a stage can be restarted from those.
 *
 * @param number from 0
 * @param vertices ids of its tasks
 */
public record ExecutionStage(int number, List<Integer> vertices) {
    public ExecutionStage {
        vertices = List.copyOf(vertices);
    }
}
