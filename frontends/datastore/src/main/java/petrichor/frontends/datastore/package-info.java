/**
 * Google Datastore v1 on the wire: gRPC, and REST with protobuf or JSON bodies, on one port, which
 * distinguishes them by a connection's first bytes. Contains no Datastore logic; {@link
 * petrichor.entities.Datastore} executes the requests.
 *
 * <p>The path of a request: {@code ProtocolSniffer} detects the protocol and passes the connection
 * to {@code GrpcService} or {@code HttpConnection}. Both authorize a request by its {@code
 * RequestHead} and create a {@code DatastoreCall}. {@link petrichor.rpc.Routing} executes the call
 * on the owner of its database; there {@code DatastoreService} parses the request, the {@code
 * Dispatcher} runs it on a lane, and {@code ResponseEncoder} assembles the response from stored
 * entities.
 */
@NullMarked
package petrichor.frontends.datastore;

import org.jspecify.annotations.NullMarked;
