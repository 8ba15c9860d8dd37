package petrichor.jobs.flink;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * A task's failure in a form that survives transport through Flink: as text, because the class of
 * its cause may be unknown outside the task.
 */
final class TaskFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Its form in a Flink stack trace: name, code and text. */
    private static final Pattern SHOWN =
            Pattern.compile(
                    Pattern.quote(TaskFailure.class.getName())
                            + ": ([A-Z_]+): (.*?)(?=\\R\\s*(?:at |\\.\\.\\. |Caused by: )|\\z)",
                    Pattern.DOTALL);

    private TaskFailure(PetrichorException failure) {
        super(failure.code() + ": " + failure.getMessage());
        setStackTrace(failure.getStackTrace());
    }

    /** For Flink, which restarts the stage only if the failure is transient. */
    static RuntimeException of(PetrichorException failure) {
        TaskFailure told = new TaskFailure(failure);
        return failure.code() == ErrorCode.UNAVAILABLE ? told : new SuppressRestartsException(told);
    }

    /** The failure that a task of Petrichor reported, if it caused this failure of Flink's. */
    static Optional<PetrichorException> in(String stackTrace) {
        Matcher shown = SHOWN.matcher(stackTrace);
        return shown.find()
                ? Optional.of(
                        new PetrichorException(
                                ErrorCode.valueOf(shown.group(1)), shown.group(2).strip()))
                : Optional.empty();
    }
}
