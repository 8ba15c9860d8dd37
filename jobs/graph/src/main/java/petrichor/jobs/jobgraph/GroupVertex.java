package petrichor.jobs.jobgraph;

import java.util.List;

/** A task of the job graph with all of its subtasks. */
public record GroupVertex(JobVertex vertex, int stage, List<SubtaskId> subtasks) {
    public GroupVertex {
        subtasks = List.copyOf(subtasks);
    }
}
