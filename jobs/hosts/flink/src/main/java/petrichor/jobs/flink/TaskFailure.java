package petrichor.jobs.flink;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Why a task failed, in a form that arrives wherever Flink takes it: as text, because whatever
 * caused it may be of a class that is known to nobody but the task.
 */
final class TaskFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** How Flink shows one in a stack trace: its name, its code, and its text. */
    private static final Pattern SHOWN =
            Pattern.compile(
                    Pattern.quote(TaskFailure.class.getName())
                            + ": ([A-Z_]+): (.*?)(?=\\R\\s*(?:at |\\.\\.\\. |Caused by: )|\\z)",
                    Pattern.DOTALL);

    private TaskFailure(PetrichorException failure) {
        super(failure.code() + ": " + failure.getMessage());
        setStackTrace(failure.getStackTrace());
    }

    /** For Flink: it begins the stage again only if something was away that may come back. */
    static RuntimeException of(PetrichorException failure) {
        TaskFailure told = new TaskFailure(failure);
        return failure.code() == ErrorCode.UNAVAILABLE ? told : new SuppressRestartsException(told);
    }

    /** What our task has told, if that is what is behind a failure of Flink's. */
    static Optional<PetrichorException> in(String stackTrace) {
        Matcher shown = SHOWN.matcher(stackTrace);
        return shown.find()
                ? Optional.of(
                        new PetrichorException(
                                ErrorCode.valueOf(shown.group(1)), shown.group(2).strip()))
                : Optional.empty();
    }
}
