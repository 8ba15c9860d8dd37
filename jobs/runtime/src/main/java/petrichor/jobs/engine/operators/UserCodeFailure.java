package petrichor.jobs.engine.operators;

import petrichor.jobs.channels.JobControl;

/** User code failed, in this step. The task that runs it adds where. */
final class UserCodeFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private UserCodeFailure(String step, Throwable cause) {
        super(step, cause);
    }

    /** What to throw when a call of user code ended with this. */
    static RuntimeException of(String step, Throwable thrown) {
        return switch (thrown) {
            // Not the user's: a stage behind failed, or the job was stopped, inside of the call.
            case UserCodeFailure failure -> failure;
            case JobControl.Stopped stopped -> stopped;
            case OperationFailure failure -> failure;
            case Throwable other -> new UserCodeFailure(step, other);
        };
    }
}
