package petrichor.jobs.flink;

import java.util.Optional;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Why a task failed, in a form that arrives wherever Flink takes it: whatever caused it may be of a
 * class that is known to nobody but the task.
 */
final class TaskFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final String text;

    TaskFailure(PetrichorException failure) {
        super(failure.code() + ": " + failure.getMessage());
        this.code = failure.code();
        this.text = String.valueOf(failure.getMessage());
        setStackTrace(failure.getStackTrace());
    }

    /** For Flink: it begins the stage again only if something was away that may come back. */
    static RuntimeException of(PetrichorException failure) {
        TaskFailure told = new TaskFailure(failure);
        return failure.code() == ErrorCode.UNAVAILABLE ? told : new SuppressRestartsException(told);
    }

    PetrichorException told() {
        return new PetrichorException(code, text);
    }

    /** What our task has told, if that is what is behind a failure of Flink's. */
    static Optional<PetrichorException> in(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof TaskFailure found) {
                return Optional.of(found.told());
            }
        }
        return Optional.empty();
    }
}
