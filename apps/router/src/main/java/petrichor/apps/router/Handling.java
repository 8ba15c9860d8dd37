package petrichor.apps.router;

import io.netty.handler.codec.http.HttpContent;

/**
 * What answers a request: an instance or a file. It gets the events of the client's side of the
 * exchange, and calls the exchange to respond. Confined to the exchange's event loop.
 */
interface Handling {
    /** Whether more of the request's body may be read. */
    boolean wantsBody();

    /** A part of the request's body, which this method releases. */
    void clientSent(HttpContent content);

    /** No more bytes of the client are available at the moment. */
    void clientPaused();

    /** The client's connection accepts bytes again. */
    void clientWritable();

    /** The exchange has ended in another way; called at most once, and nothing after it. */
    void clientGone();

    /** Called regularly for time limits. */
    void check(long nowNanos);
}
