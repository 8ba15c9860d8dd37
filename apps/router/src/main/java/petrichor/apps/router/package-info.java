/**
 * The reverse proxy in front of the instances of apps: HTTP/1.1 and HTTP/2 of clients, with and
 * without TLS, to HTTP/1.1 of instances.
 *
 * <p>The life of a request: {@link petrichor.apps.router.ConnectionSetup} finds the protocol of a
 * connection; {@link petrichor.apps.router.ClientConnection} is an HTTP/1.1 connection or an HTTP/2
 * stream, and starts a {@link petrichor.apps.router.ClientExchange} per request. {@link
 * petrichor.apps.router.RequestDecision} checks the head, finds the route in the {@link
 * petrichor.apps.router.table.RoutingTable} and the user. Then {@link
 * petrichor.apps.router.Forwarding} streams the request to an instance and the response back, or
 * {@link petrichor.apps.router.FileReply} sends a file, or an error page ends it. A WebSocket
 * becomes a {@link petrichor.apps.router.Tunnel}.
 *
 * <p>An exchange, its client's connection and its instance's connection belong to one event loop
 * ({@link petrichor.apps.router.Lane}), so they need no locks. The assembly provides instances
 * ({@link petrichor.apps.router.Backends}), header fields that apps trust ({@link
 * petrichor.apps.router.RequestHeaders}) and users ({@link petrichor.apps.router.Visitors}), which
 * must not block.
 */
@NullMarked
package petrichor.apps.router;

import org.jspecify.annotations.NullMarked;
