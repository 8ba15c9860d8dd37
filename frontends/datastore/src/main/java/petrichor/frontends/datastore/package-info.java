/**
 * Google Datastore v1 on the wire: gRPC, and REST with protobuf or JSON bodies, on one port that
 * tells them apart by a connection's first bytes. Wire only: what a request means is decided by
 * {@link petrichor.entities.Datastore}.
 *
 * <p>A connection's way: {@code ProtocolSniffer} looks at its first bytes and hands it to {@code
 * GrpcService} or to {@code HttpConnection}; both turn bytes into a {@code DatastoreMethod}'s
 * request, run it on a lane of the {@code Dispatcher}, and send back the bytes that {@code
 * ResponseEncoder} spliced together from stored entities.
 */
@NullMarked
package petrichor.frontends.datastore;

import org.jspecify.annotations.NullMarked;
