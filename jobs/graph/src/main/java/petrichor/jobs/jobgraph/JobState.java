package petrichor.jobs.jobgraph;

/**
 * State of a job.
 *
 * <pre>
 * CREATED → SCHEDULED → RUNNING → FINISHED
 *    any of the first three → FAILING → FAILED
 *    any of the first three → CANCELING → CANCELED
 * </pre>
 */
public enum JobState {
    /** Checked and accepted. */
    CREATED,
    /** Waiting for resources. */
    SCHEDULED,
    RUNNING,
    /** Every task has finished and every sink is committed. */
    FINISHED,
    /** A subtask has failed and cannot be retried; the others are being stopped. */
    FAILING,
    FAILED,
    /** Cancellation was requested; the subtasks are being stopped. */
    CANCELING,
    CANCELED;

    public boolean hasEnded() {
        return switch (this) {
            case FINISHED, FAILED, CANCELED -> true;
            case CREATED, SCHEDULED, RUNNING, FAILING, CANCELING -> false;
        };
    }

    public boolean mayBecome(JobState next) {
        return switch (this) {
            case CREATED -> next == SCHEDULED || next == FAILING || next == CANCELING;
            case SCHEDULED -> next == RUNNING || next == FAILING || next == CANCELING;
            case RUNNING -> next == FINISHED || next == FAILING || next == CANCELING;
            case FAILING -> next == FAILED;
            // A failure while stopping makes the job a failed one, so that its reason is not lost.
            case CANCELING -> next == CANCELED || next == FAILING;
            case FINISHED, FAILED, CANCELED -> false;
        };
    }
}
