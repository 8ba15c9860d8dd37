package petrichor.frontends.http;

import org.jspecify.annotations.Nullable;

/**
 * The body of a request while it arrives. The client may send the next bytes only when the page has
 * taken the previous ones (back-pressure). Confined to the thread of the page.
 */
@FunctionalInterface
public interface RequestBody {
    RequestBody EMPTY = () -> null;

    /**
     * The next bytes, owned by the caller: not empty, at most a few hundred KiB; null at the end.
     * Blocks until some have arrived. UNAVAILABLE if the client has disconnected, DEADLINE_EXCEEDED
     * if it sends nothing for too long, INVALID_ARGUMENT if it breaks the protocol.
     */
    byte @Nullable [] next();
}
