package petrichor.rpc;

import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.PetrichorException;

/**
 * Methods that the owner of a database executes, independent of the server that receives them. The
 * same service is registered on all servers. Safe for any thread.
 */
public interface RoutedService {
    /** As {@code package.Service}; the prefix of its methods. */
    String name();

    /**
     * A call that another server forwarded: its client was authorized there. Throws {@link
     * PetrichorException} to refuse it. Called on a network thread.
     */
    RoutedCall decode(Forwarded call);

    /**
     * What came from the other server.
     *
     * @param method as {@code package.Service/Method}
     * @param body as {@link RoutedCall#body} had it; belongs to the service
     * @param cancellation ends when the client leaves or the other server fails
     */
    record Forwarded(
            String method, byte[] body, Cancellation cancellation, @Nullable String traceparent) {}

    /** For {@link #decode}: the service has no such method. */
    static PetrichorException unknown(String method) {
        return PetrichorException.invalid(
                "this server has no method {method}; do all servers run the same version?",
                "method",
                method);
    }
}
