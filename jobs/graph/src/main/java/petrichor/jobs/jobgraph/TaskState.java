package petrichor.jobs.jobgraph;

/**
 * State of a subtask.
 *
 * <pre>
 * CREATED → SCHEDULED → READY → RUNNING → FINISHING → FINISHED
 *    any of the first five → CANCELING → CANCELED
 *    any of them but CREATED → FAILED
 * </pre>
 *
 * An ended subtask restarts only by a {@link ExecutionDelta.SubtaskRetried} or a {@link
 * ExecutionDelta.StageRestarted}.
 */
public enum TaskState {
    /** Only known. */
    CREATED,
    /** Resources are assigned. */
    SCHEDULED,
    /** It is set up, its channels are open; no record has been processed. */
    READY,
    /** Records are processed. */
    RUNNING,
    /** The user code has returned; the last blocks are in flight. */
    FINISHING,
    FINISHED,
    /** It was asked to stop and has not stopped yet. */
    CANCELING,
    CANCELED,
    FAILED;

    public boolean hasEnded() {
        return switch (this) {
            case FINISHED, CANCELED, FAILED -> true;
            case CREATED, SCHEDULED, READY, RUNNING, FINISHING, CANCELING -> false;
        };
    }

    /** Whether this transition is valid within one attempt. */
    public boolean mayBecome(TaskState next) {
        return switch (this) {
            // Without resources there is nothing to stop and nothing that can fail.
            case CREATED -> next == SCHEDULED || next == CANCELING || next == CANCELED;
            case SCHEDULED ->
                    next == READY || next == CANCELING || next == CANCELED || next == FAILED;
            case READY -> next == RUNNING || next == CANCELING || next == FAILED;
            case RUNNING -> next == FINISHING || next == CANCELING || next == FAILED;
            case FINISHING -> next == FINISHED || next == CANCELING || next == FAILED;
            case CANCELING -> next == CANCELED || next == FAILED;
            case FINISHED, CANCELED, FAILED -> false;
        };
    }
}
