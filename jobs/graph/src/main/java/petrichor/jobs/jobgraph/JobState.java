package petrichor.jobs.jobgraph;

/**
 * How far a job is.
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
    /** Waiting for a place to run. */
    SCHEDULED,
    RUNNING,
    /** Everything finished and every sink has shown its result. */
    FINISHED,
    /** A subtask failed beyond repair; the others are being stopped. */
    FAILING,
    FAILED,
    /** Somebody wants it to stop; the subtasks are being stopped. */
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
            // A failure while stopping makes the job a failed one: its reason must not get lost.
            case CANCELING -> next == CANCELED || next == FAILING;
            case FINISHED, FAILED, CANCELED -> false;
        };
    }
}
