package petrichor.jobs.engine.operators;

import petrichor.jobs.channels.JobControl;

/** User code failed in this step. The subtask that runs it adds its name. */
final class UserCodeFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private UserCodeFailure(String step, Throwable cause) {
        super(step, cause);
    }

    /** The exception to throw when a call of user code ended with this. */
    static RuntimeException of(String step, Throwable thrown) {
        return switch (thrown) {
            // Not the user's failure: a later stage failed, or the job was stopped, inside the
            // call.
            case UserCodeFailure failure -> failure;
            case JobControl.Stopped stopped -> stopped;
            case OperationFailure failure -> failure;
            case Throwable other -> new UserCodeFailure(step, other);
        };
    }
}
