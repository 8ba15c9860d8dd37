package petrichor.frontends.http;

import io.grpc.Context;
import java.util.Objects;
import petrichor.frontends.access.AccessAttempt;

/** Gives services other than the Datastore API access to the caller of the running gRPC call. */
public final class GrpcAccess {
    private static final Context.Key<AccessAttempt> ATTEMPT = Context.key("petrichor-access");

    private GrpcAccess() {}

    /** The context in which the call of an authenticated caller is executed. */
    public static Context of(AccessAttempt attempt) {
        return Context.current().withValue(ATTEMPT, attempt);
    }

    /**
     * The attempt of the call that the current thread executes; the service authorizes its content.
     */
    public static AccessAttempt current() {
        return Objects.requireNonNull(ATTEMPT.get(), "not within a call of a guarded service");
    }
}
