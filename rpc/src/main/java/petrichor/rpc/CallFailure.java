package petrichor.rpc;

import io.grpc.Status;
import io.grpc.Status.Code;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;

/**
 * A failed call as its caller sees it: a canonical code and a text, never a stack trace. An
 * unexpected failure is logged here in full and shown as INTERNAL with the trace id of its log
 * entry.
 */
public record CallFailure(ErrorCode code, String text) {
    private static final Logger LOG = LoggerFactory.getLogger(CallFailure.class);

    /** A text that quotes client input must not return megabytes. */
    public static final int TEXT_CHARACTERS_MAX = 1_000;

    public CallFailure {
        if (text.length() > TEXT_CHARACTERS_MAX) {
            int kept = TEXT_CHARACTERS_MAX;
            if (Character.isHighSurrogate(text.charAt(kept - 1))) {
                kept--;
            }
            text = text.substring(0, kept) + "… (" + (text.length() - kept) + " characters more)";
        }
    }

    /** The failure inside the wrappers of futures. */
    public static Throwable cause(Throwable thrown) {
        Throwable cause = thrown;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** The code that the caller will see; logs nothing. */
    public static ErrorCode code(Throwable thrown) {
        return switch (cause(thrown)) {
            case NotOwner _ -> ErrorCode.UNAVAILABLE;
            case PetrichorException known -> known.code();
            case Throwable _ -> ErrorCode.INTERNAL;
        };
    }

    public static CallFailure of(Throwable thrown, Trace trace) {
        Throwable cause = cause(thrown);
        if (cause instanceof NotOwner) {
            return new CallFailure(
                    ErrorCode.UNAVAILABLE,
                    "the database is being moved to another server; nothing was done, retry");
        }
        if (cause instanceof PetrichorException known) {
            if (known.code() == ErrorCode.INTERNAL) {
                log("request failed: " + known.getMessage() + " " + known.facts(), known, trace);
            }
            return new CallFailure(known.code(), String.valueOf(known.getMessage()));
        }
        log("request failed unexpectedly", cause, trace);
        return new CallFailure(
                ErrorCode.INTERNAL,
                "internal error; the server's log has the reason under trace " + trace.traceId());
    }

    private static void log(String text, Throwable cause, Trace trace) {
        try (var _ = trace.inLogs()) {
            LOG.error(text, cause);
        }
    }

    /** The error of a server whose queue is full. */
    public static PetrichorException overloaded() {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "too many requests are queued; nothing was done, retry later");
    }

    /** The number in google.rpc.Code, which is also gRPC's. */
    public int number() {
        return rpcCode().value();
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

    /** The code of a status that another server sent. */
    static ErrorCode code(Status status) {
        return switch (status.getCode()) {
            case INVALID_ARGUMENT, OUT_OF_RANGE -> ErrorCode.INVALID_ARGUMENT;
            case NOT_FOUND -> ErrorCode.NOT_FOUND;
            case ALREADY_EXISTS -> ErrorCode.ALREADY_EXISTS;
            case FAILED_PRECONDITION -> ErrorCode.FAILED_PRECONDITION;
            case ABORTED -> ErrorCode.ABORTED;
            case RESOURCE_EXHAUSTED -> ErrorCode.RESOURCE_EXHAUSTED;
            case UNAUTHENTICATED -> ErrorCode.UNAUTHENTICATED;
            case PERMISSION_DENIED -> ErrorCode.PERMISSION_DENIED;
            case UNAVAILABLE, CANCELLED -> ErrorCode.UNAVAILABLE;
            case DEADLINE_EXCEEDED -> ErrorCode.DEADLINE_EXCEEDED;
            case UNIMPLEMENTED -> ErrorCode.UNIMPLEMENTED;
            case INTERNAL, UNKNOWN, DATA_LOSS, OK -> ErrorCode.INTERNAL;
        };
    }
}
