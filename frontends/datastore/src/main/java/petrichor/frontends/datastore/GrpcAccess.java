package petrichor.frontends.datastore;

import io.grpc.Context;
import java.util.Objects;
import petrichor.frontends.access.AccessAttempt;

/** What services beside the API know of the caller of the running gRPC call. */
public final class GrpcAccess {
    static final Context.Key<AccessAttempt> ATTEMPT = Context.key("petrichor-access");

    private GrpcAccess() {}

    /** Of the call that this thread carries out; the service checks what it is about. */
    public static AccessAttempt current() {
        return Objects.requireNonNull(ATTEMPT.get(), "not within a call of a guarded service");
    }
}
