package petrichor.jobs.jobgraph;

/**
 * How far a subtask is.
 *
 * <pre>
 * CREATED → SCHEDULED → READY → RUNNING → FINISHING → FINISHED
 *    any of the first five → CANCELING → CANCELED
 *    any of them but CREATED → FAILED
 * </pre>
 *
 * What has ended begins again only by a {@link ExecutionDelta.SubtaskRetried} or a {@link
 * ExecutionDelta.StageRestarted}.
 */
public enum TaskState {
    /** Known, nothing more. */
    CREATED,
    /** It has a place to run. */
    SCHEDULED,
    /** It is set up where it is to run, its channels are open; no record has moved. */
    READY,
    /** Records move. */
    RUNNING,
    /** The user code has returned; the last blocks are on their way. */
    FINISHING,
    FINISHED,
    /** It was told to stop and has not stopped. */
    CANCELING,
    CANCELED,
    FAILED;

    public boolean hasEnded() {
        return switch (this) {
            case FINISHED, CANCELED, FAILED -> true;
            case CREATED, SCHEDULED, READY, RUNNING, FINISHING, CANCELING -> false;
        };
    }

    /** Whether a subtask may go from this state to that one, within one attempt. */
    public boolean mayBecome(TaskState next) {
        return switch (this) {
            // What never had a place to run has nothing to stop and nothing to fail.
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
