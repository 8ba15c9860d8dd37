package petrichor.rpc;

import io.grpc.Status;
import java.net.ConnectException;
import java.util.Map;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Creates replies for calls to another server that got no response. */
record PeerFailure(Peer to) {
    /** No connection could be established, or none that both sides trust: nothing was done. */
    static boolean neverReached(Status status) {
        return status.getCode() == Status.Code.UNAVAILABLE
                && (status.getCause() instanceof ConnectException
                        || status.getCause() instanceof SSLHandshakeException);
    }

    /** A server of another release: it read no call. */
    static boolean refused(Status status) {
        return status.getCode() == Status.Code.FAILED_PRECONDITION
                || status.getCode() == Status.Code.UNIMPLEMENTED
                || status.getCode() == Status.Code.CANCELLED;
    }

    Reply unreached() {
        return new Reply.NotDone(to.address() + " cannot be reached");
    }

    Reply unreached(Status status) {
        return status.getCause() instanceof SSLException refused
                ? new Reply.NotDone(
                        "TLS with "
                                + to.address()
                                + " failed ("
                                + refused.getMessage()
                                + "); check cluster.certificate and cluster.authority of both"
                                + " servers")
                : unreached();
    }

    Reply notOwner() {
        return new Reply.NotDone(to.address() + " does not own the database");
    }

    /** The servers share no version of the protocol: nothing was done. */
    Reply incompatible(String why) {
        return new Reply.NotDone(to.address() + " cannot execute calls of this server: " + why);
    }

    /** The call may have been executed. */
    Reply broken(String reason) {
        return new Reply.Failed(
                PetrichorException.of(
                        ErrorCode.UNAVAILABLE,
                        "the connection to {server}, which owns the database, broke ({reason}); the"
                                + " write may have happened: retry",
                        "server",
                        to.address(),
                        "reason",
                        reason));
    }

    /** The client disconnected; nothing uses the response. */
    Reply cancelled() {
        return new Reply.Failed(
                PetrichorException.of(
                        ErrorCode.DEADLINE_EXCEEDED,
                        "the client cancelled the request, and the server asked the owner of the"
                                + " database to stop working on it",
                        "server",
                        to.address()));
    }

    /** The failure that the other server reported. */
    Reply reported(int number, String text) {
        return new Reply.Failed(
                new PetrichorException(
                        CallFailure.code(Status.fromCodeValue(number)),
                        text,
                        Map.of("server", to.address())));
    }

    Reply of(Status status) {
        String text = status.getDescription() == null ? "no reason given" : status.getDescription();
        // A status with a cause comes from the connection, not from the other server.
        return status.getCause() == null ? reported(status.getCode().value(), text) : broken(text);
    }
}
