package petrichor.server;

import com.google.protobuf.MessageLite;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import petrichor.rpc.ByteMessages;
import petrichor.rpc.PeerMethods;

/** A client that calls methods reserved for the servers of a cluster. */
final class PretendedPeer {
    private PretendedPeer() {}

    static Metadata headers(String token, String bearer) {
        Metadata headers = new Metadata();
        put(headers, "petrichor-rpc-versions", "1-1");
        if (!token.isEmpty()) {
            put(headers, "petrichor-cluster-token", token);
        }
        if (!bearer.isEmpty()) {
            put(headers, "authorization", "Bearer " + bearer);
        }
        return headers;
    }

    private static void put(Metadata headers, String name, String value) {
        headers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
    }

    /**
     * @param method of the API
     * @param token of the cluster; empty for none
     * @param bearer the client's own token; empty for none
     */
    static Status.Code forward(
            Channel channel, String method, MessageLite request, String token, String bearer) {
        Metadata headers = headers(token, bearer);
        put(headers, "petrichor-method", "google.datastore.v1.Datastore/" + method);
        try {
            var _ =
                    ClientCalls.blockingUnaryCall(
                            ClientInterceptors.intercept(
                                    channel, MetadataUtils.newAttachHeadersInterceptor(headers)),
                            ByteMessages.method(PeerMethods.FORWARD),
                            CallOptions.DEFAULT,
                            request.toByteArray());
            return Status.Code.OK;
        } catch (StatusRuntimeException refused) {
            return refused.getStatus().getCode();
        }
    }
}
