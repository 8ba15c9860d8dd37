package petrichor.cluster;

import io.grpc.Status;
import java.net.ConnectException;
import java.util.Map;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.coordination.Member;

/** What becomes of calls to another server that bring no answer. */
record PeerFailure(Member to) {
    /** No server listens there: nothing was done. */
    static boolean neverReached(Status status) {
        return status.getCode() == Status.Code.UNAVAILABLE
                && status.getCause() instanceof ConnectException;
    }

    Reply unreached() {
        return new Reply.NotDone(to.address() + " cannot be reached");
    }

    Reply notMine() {
        return new Reply.NotDone(to.address() + " does not own the database");
    }

    /** It may have been carried out. */
    Reply broken(String reason) {
        return new Reply.Failed(
                new PetrichorException(
                        ErrorCode.UNAVAILABLE,
                        "the connection to "
                                + to.address()
                                + ", which owns the database, broke ("
                                + reason
                                + "); the write may have happened: retry",
                        Map.of("server", to.address(), "reason", reason)));
    }

    /** The client left; no caller uses the answer. */
    Reply cancelled() {
        return new Reply.Failed(
                new PetrichorException(
                        ErrorCode.DEADLINE_EXCEEDED,
                        "the client cancelled the request, and the server asked the owner of the"
                                + " database to stop working on it",
                        Map.of("server", to.address())));
    }

    /** The other server's own word. */
    Reply told(int number, String text) {
        return new Reply.Failed(
                new PetrichorException(
                        code(Status.fromCodeValue(number)), text, Map.of("server", to.address())));
    }

    Reply of(Status status) {
        String text = status.getDescription() == null ? "no reason given" : status.getDescription();
        // With a cause it did not come from the other server but from the way there.
        return status.getCause() == null ? told(status.getCode().value(), text) : broken(text);
    }

    private static ErrorCode code(Status status) {
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
