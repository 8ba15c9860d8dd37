package petrichor.rpc;

import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.PetrichorException;

/**
 * Methods that the owner of a database executes, regardless of which server receives them. The same
 * service is registered on all servers. Thread-safe.
 */
public interface RoutedService {
    /** As {@code package.Service}; the prefix of its methods. */
    String name();

    /**
     * Decodes a call that another server forwarded and whose client was authorized there. Throws
     * {@link PetrichorException} to refuse it. Called on a network thread.
     */
    RoutedCall decode(Forwarded call);

    /**
     * A forwarded call.
     *
     * @param method as {@code package.Service/Method}
     * @param body the {@link RoutedCall#body} of the call; owned by the service
     * @param cancellation ends when the client disconnects or the other server fails
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
