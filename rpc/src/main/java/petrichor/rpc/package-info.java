/**
 * Calls between the servers of a cluster, below every front end.
 *
 * <p>A front end, or any other part with work for the owner of a database, implements a {@link
 * petrichor.rpc.RoutedService} and registers it. Its calls go through {@link
 * petrichor.rpc.Routing}, which executes them on the server that owns the database: locally, or
 * forwarded to that server, which decodes and executes them with the same service. A front end
 * contains no routing code and does not know where its calls are executed.
 *
 * <p>Client side: {@link petrichor.rpc.Router} finds owners and retries calls that were certainly
 * not executed, {@link petrichor.rpc.PeerChannels} has one connection to each peer, {@link
 * petrichor.rpc.PeerStream} multiplexes calls on it. Server side: {@link
 * petrichor.rpc.PeerService}. The messages are in {@code peers.proto}; {@link
 * petrichor.rpc.ProtocolVersions} defines how servers of different releases agree on a version.
 * {@link petrichor.rpc.PeerAuthentication} authenticates peers.
 */
@NullMarked
package petrichor.rpc;

import org.jspecify.annotations.NullMarked;
