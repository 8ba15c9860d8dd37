package petrichor.frontends.datastore;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import com.google.rpc.Status;
import petrichor.base.ErrorCode;
import petrichor.rpc.CallFailure;
import petrichor.rpc.Trace;

/**
 * A failed request as reported to the client: a {@link CallFailure} in Google's error model and in
 * HTTP.
 *
 * @param httpStatus usually that of the code; more specific for errors of HTTP itself
 */
record Failure(ErrorCode code, String text, int httpStatus) {
    static final String DOMAIN = "petrichor";

    Failure {
        text = new CallFailure(code, text).text();
    }

    Failure(ErrorCode code, String text) {
        this(code, text, httpStatus(code));
    }

    static Failure of(Throwable thrown, Trace trace) {
        CallFailure failure = CallFailure.of(thrown, trace);
        return new Failure(failure.code(), failure.text());
    }

    /** The number of the code in google.rpc.Code and in gRPC. */
    int number() {
        return new CallFailure(code, text).number();
    }

    /** Google's mapping of canonical codes to HTTP. */
    private static int httpStatus(ErrorCode code) {
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

    Status status() {
        return Status.newBuilder()
                .setCode(number())
                .setMessage(text)
                .addDetails(
                        Any.pack(
                                ErrorInfo.newBuilder()
                                        .setReason(code.name())
                                        .setDomain(DOMAIN)
                                        .build()))
                .build();
    }
}
