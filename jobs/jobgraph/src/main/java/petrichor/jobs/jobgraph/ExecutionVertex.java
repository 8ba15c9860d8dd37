package petrichor.jobs.jobgraph;

import org.jspecify.annotations.Nullable;

/**
 * One subtask of a job in execution.
 *
 * @param instance number of the execution instance that it runs on
 * @param attempt 1 for the first
 * @param failure why the last attempt failed, or null
 */
public record ExecutionVertex(
        SubtaskId id, int instance, TaskState state, int attempt, @Nullable String failure) {
    ExecutionVertex moved(TaskState next, @Nullable String why) {
        return new ExecutionVertex(
                id, instance, next, attempt, next == TaskState.FAILED ? why : failure);
    }

    ExecutionVertex again() {
        return new ExecutionVertex(id, instance, TaskState.CREATED, attempt + 1, failure);
    }
}
