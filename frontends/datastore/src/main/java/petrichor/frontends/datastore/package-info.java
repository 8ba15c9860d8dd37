/**
 * Google Datastore v1 on the wire: gRPC, and REST with protobuf or JSON bodies, on one port that
 * distinguishes them by a connection's first bytes. Wire only: what a request means is decided by
 * {@link petrichor.entities.Datastore}.
 *
 * <p>A connection's way: {@code ProtocolSniffer} looks at its first bytes and hands it to {@code
 * GrpcService} or to {@code HttpConnection}; both authorize a request by its {@code RequestHead}
 * and make a {@code DatastoreCall} of it. {@link petrichor.rpc.Routing} executes the call on the
 * owner of its database; there {@code DatastoreService} parses the request, the {@code Dispatcher}
 * runs it on a lane, and {@code ResponseEncoder} splices the response together from stored
 * entities.
 */
@NullMarked
package petrichor.frontends.datastore;

import org.jspecify.annotations.NullMarked;
