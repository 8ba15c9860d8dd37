package petrichor.frontends.datastore;

import com.google.protobuf.Any;
import com.google.rpc.Code;
import com.google.rpc.ErrorInfo;
import com.google.rpc.Status;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.transactions.NotSequencedHere;

/**
 * What a client is told when something went wrong: a canonical code and a text, never a stack
 * trace. What nobody expected is logged here in full and shown as INTERNAL with the trace id under
 * which the log has it.
 *
 * @param httpStatus usually that of the code; HTTP has more exact ones for requests as such
 */
record Failure(ErrorCode code, String text, int httpStatus) {
    private static final Logger LOG = LoggerFactory.getLogger(Failure.class);
    static final String DOMAIN = "petrichor";

    /** A text that quotes what a client sent must not send megabytes back. */
    static final int TEXT_CHARACTERS_MAX = 1_000;

    Failure {
        if (text.length() > TEXT_CHARACTERS_MAX) {
            int kept = TEXT_CHARACTERS_MAX;
            if (Character.isHighSurrogate(text.charAt(kept - 1))) {
                kept--;
            }
            text = text.substring(0, kept) + "… (" + (text.length() - kept) + " characters more)";
        }
    }

    Failure(ErrorCode code, String text) {
        this(code, text, httpStatus(code));
    }

    /** What failed, without the wrappings of futures. */
    static Throwable cause(Throwable thrown) {
        Throwable cause = thrown;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    static Failure of(Throwable thrown, Trace trace) {
        Throwable cause = cause(thrown);
        if (cause instanceof NotSequencedHere) {
            return new Failure(
                    ErrorCode.UNAVAILABLE,
                    "the database is being moved to another server; nothing was done, retry");
        }
        if (cause instanceof PetrichorException known) {
            if (known.code() == ErrorCode.INTERNAL) {
                log("request failed: " + known.getMessage() + " " + known.facts(), known, trace);
            }
            return new Failure(known.code(), String.valueOf(known.getMessage()));
        }
        log("request failed unexpectedly", cause, trace);
        return new Failure(
                ErrorCode.INTERNAL,
                "internal error; the server's log has the reason under trace " + trace.traceId());
    }

    private static void log(String text, Throwable cause, Trace trace) {
        try (var _ = trace.inLogs()) {
            LOG.error(text, cause);
        }
    }

    /** The number of google.rpc.Code, which is also gRPC's. */
    int number() {
        return rpcCode().getNumber();
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

    private Code rpcCode() {
        return switch (code) {
            case INVALID_ARGUMENT -> Code.INVALID_ARGUMENT;
            case NOT_FOUND -> Code.NOT_FOUND;
            case ALREADY_EXISTS -> Code.ALREADY_EXISTS;
            case FAILED_PRECONDITION -> Code.FAILED_PRECONDITION;
            case ABORTED -> Code.ABORTED;
            case RESOURCE_EXHAUSTED -> Code.RESOURCE_EXHAUSTED;
            case UNAUTHENTICATED -> Code.UNAUTHENTICATED;
            case PERMISSION_DENIED -> Code.PERMISSION_DENIED;
            case UNAVAILABLE -> Code.UNAVAILABLE;
            case DEADLINE_EXCEEDED -> Code.DEADLINE_EXCEEDED;
            case UNIMPLEMENTED -> Code.UNIMPLEMENTED;
            case INTERNAL -> Code.INTERNAL;
        };
    }
}
