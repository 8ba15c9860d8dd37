package petrichor.jobs.jobgraph;

import org.jspecify.annotations.Nullable;

/**
 * One subtask of a job in execution.
 *
 * @param instance number of the {@link ExecutionInstance} on which it runs
 * @param attempt 1 for the first
 * @param failure why the last attempt failed, or null
 * @param metrics metrics of the last attempt, as far as it was measured
 */
public record ExecutionVertex(
        SubtaskId id,
        int instance,
        TaskState state,
        int attempt,
        @Nullable String failure,
        SubtaskMetrics metrics) {
    ExecutionVertex moved(TaskState next, @Nullable String why) {
        return new ExecutionVertex(
                id, instance, next, attempt, next == TaskState.FAILED ? why : failure, metrics);
    }

    ExecutionVertex again(boolean counts) {
        return new ExecutionVertex(
                id,
                instance,
                TaskState.CREATED,
                counts ? attempt + 1 : attempt,
                failure,
                SubtaskMetrics.NONE);
    }

    ExecutionVertex measured(SubtaskMetrics now) {
        return new ExecutionVertex(id, instance, state, attempt, failure, now);
    }
}
