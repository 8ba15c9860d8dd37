package petrichor.cli.console;

import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Exit codes of commands, for scripts; the numbers are part of the interface. */
public enum ExitCode {
    OK(0),
    FAILURE(1),
    /** Invalid command line. */
    USAGE(2),
    CONFLICT(3),
    NOT_FOUND(4),
    UNAVAILABLE(5),
    /**
     * The reader of standard output has ended. Equals the exit code that shells report for SIGPIPE.
     */
    READER_ENDED(141);

    /** Failures with this fact concern something that another process or file occupies. */
    private static final String CONFLICT_FACT = "conflict";

    /** Failures with this fact concern the arguments of a job. */
    private static final String ARGUMENT_FACT = "argument";

    private final int number;

    ExitCode(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }

    /**
     * Exit code of a job that did not complete. Never {@link #UNAVAILABLE}: that would suggest that
     * the server is unavailable, although only something that the job uses was.
     *
     * @param code null if unknown
     */
    public static ExitCode ofJob(@Nullable ErrorCode code) {
        return switch (code) {
            case null -> FAILURE;
            case UNAVAILABLE, DEADLINE_EXCEEDED -> FAILURE;
            default -> of(code);
        };
    }

    public static ExitCode of(PetrichorException failure) {
        if (failure.facts().containsKey(CONFLICT_FACT)) {
            return CONFLICT;
        }
        return failure.facts().containsKey(ARGUMENT_FACT) ? USAGE : of(failure.code());
    }

    /** Exit code of a SQL error, by its SQLSTATE. */
    public static ExitCode ofSqlState(String state) {
        return switch (state) {
            case "40001", "40P01", "23505" -> CONFLICT;
            case "42P01", "3D000", "3F000" -> NOT_FOUND;
            default -> state.startsWith("08") || state.startsWith("57P") ? UNAVAILABLE : FAILURE;
        };
    }

    public static ExitCode of(ErrorCode code) {
        return switch (code) {
            case ALREADY_EXISTS, ABORTED -> CONFLICT;
            case NOT_FOUND -> NOT_FOUND;
            case UNAVAILABLE, DEADLINE_EXCEEDED -> UNAVAILABLE;
            case INVALID_ARGUMENT,
                    FAILED_PRECONDITION,
                    RESOURCE_EXHAUSTED,
                    UNAUTHENTICATED,
                    PERMISSION_DENIED,
                    UNIMPLEMENTED,
                    INTERNAL ->
                    FAILURE;
        };
    }
}
