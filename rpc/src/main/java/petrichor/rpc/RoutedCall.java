package petrichor.rpc;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;

/**
 * One call, as far as routing needs to understand it. A front end creates it from a client's
 * request, a {@link RoutedService} from the bytes that another server forwarded.
 */
public interface RoutedCall {
    /** As {@code package.Service/Method}; the service is registered on all servers. */
    String method();

    /**
     * The database whose owner executes the call. INVALID_ARGUMENT if the request names no valid
     * database.
     */
    String database();

    Locality locality();

    /** The request for {@link RoutedService#decode}; only called to forward it. Not copied. */
    byte[] body();

    /** Ends the search for an owner, and the owner's work. */
    Cancellation cancellation();

    /** The client's trace, to be continued where the call is executed; null if it sent none. */
    default @Nullable String traceparent() {
        return null;
    }

    /**
     * Executes the call on this server. Does not block; every failure is in the future, {@link
     * petrichor.base.NotOwner} if this server turns out not to be the owner and nothing was done.
     * May be called again after that.
     */
    CompletableFuture<byte[]> execute();

    /**
     * The other server has answered after this call was cancelled: what it did may have to be
     * undone. Does not block.
     */
    default void answeredLate(byte[] answer) {}

    /**
     * A call that another server forwarded has ended.
     *
     * @param answerBytes size of its response
     * @param failure null if it succeeded
     */
    default void ended(int answerBytes, @Nullable Throwable failure) {}
}
