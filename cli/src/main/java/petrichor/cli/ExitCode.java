package petrichor.cli;

import petrichor.base.ErrorCode;

/** What the command's exit code tells a script; the numbers are part of the interface. */
enum ExitCode {
    OK(0),
    FAILURE(1),
    /** The command line itself is wrong. */
    USAGE(2),
    CONFLICT(3),
    NOT_FOUND(4),
    UNAVAILABLE(5);

    private final int number;

    ExitCode(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    static ExitCode of(ErrorCode code) {
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
