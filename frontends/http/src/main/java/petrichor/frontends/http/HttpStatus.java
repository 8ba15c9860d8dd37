package petrichor.frontends.http;

import petrichor.base.ErrorCode;

/** Google's mapping of canonical codes to HTTP; Cloud Storage has one of its own. */
public final class HttpStatus {
    private HttpStatus() {}

    public static int of(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT, FAILED_PRECONDITION -> 400;
            case UNAUTHENTICATED -> 401;
            case PERMISSION_DENIED -> 403;
            case NOT_FOUND -> 404;
            case ALREADY_EXISTS, ABORTED -> 409;
            case RESOURCE_EXHAUSTED -> 429;
            case UNIMPLEMENTED -> 501;
            case UNAVAILABLE -> 503;
            case DEADLINE_EXCEEDED -> 504;
            case INTERNAL -> 500;
        };
    }
}
