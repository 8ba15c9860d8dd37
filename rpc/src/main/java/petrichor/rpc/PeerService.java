package petrichor.rpc;

import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.rpc.v1.Calls;
import petrichor.rpc.v1.Replies;

/**
 * The gRPC service for other servers: their streams, and single calls that are too large for these.
 * A caller that is not a server of the cluster, or that shares no version of the protocol with this
 * one, is refused based on its headers, before a message is read. Callbacks run on the network
 * threads and do not block.
 */
final class PeerService {
    private final PeerAuthentication authentication;
    private final ProtocolVersions versions;
    private final ArrivedCalls calls;
    private final Set<ArrivedStream> streams = ConcurrentHashMap.newKeySet();
    private volatile boolean closing;

    PeerService(PeerAuthentication authentication, ProtocolVersions versions, ArrivedCalls calls) {
        this.authentication = authentication;
        this.versions = versions;
        this.calls = calls;
    }

    List<ServerServiceDefinition> definitions() {
        return List.of(
                ServerServiceDefinition.builder(PeerMethods.SERVICE)
                        .addMethod(PeerMethods.STREAM, this::openStream)
                        .addMethod(PeerMethods.LARGE_CALL, this::openCall)
                        .build(),
                ServerServiceDefinition.builder(PeerMethods.FORMER_SERVICE)
                        .addMethod(former(), this::refuseFormer)
                        .build());
    }

    private static MethodDescriptor<byte[], byte[]> former() {
        return ByteMessages.method(PeerMethods.FORMER_SERVICE + "/Exchange").toBuilder()
                .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                .build();
    }

    private ServerCall.Listener<byte[]> refuseFormer(
            ServerCall<byte[], byte[]> call, Metadata headers) {
        return refuse(call, Status.FAILED_PRECONDITION.withDescription(versions.refusal(null)));
    }

    private <Q, S> ServerCall.Listener<Q> refuse(ServerCall<Q, S> call, Status status) {
        Metadata trailers = new Metadata();
        if (status.getCode() == Status.Code.FAILED_PRECONDITION) {
            trailers.put(ProtocolVersions.OFFERED, versions.toString());
        }
        call.close(status, trailers);
        return new ServerCall.Listener<>() {};
    }

    private ServerCall.Listener<Calls> openStream(
            ServerCall<Calls, Replies> call, Metadata headers) {
        Status refusal = refusal(call, headers);
        if (refusal != null) {
            return refuse(call, refusal);
        }
        ArrivedStream stream = new ArrivedStream(call, calls, () -> closing, streams::remove);
        streams.add(stream);
        call.sendHeaders(accepted(headers));
        call.request(1);
        if (closing) {
            stream.endIfQuiet();
        }
        return stream;
    }

    private ServerCall.Listener<byte[]> openCall(
            ServerCall<byte[], byte[]> call, Metadata headers) {
        Status refusal = refusal(call, headers);
        if (refusal != null) {
            return refuse(call, refusal);
        }
        if (closing) {
            Metadata trailers = new Metadata();
            trailers.put(PeerMethods.NOT_OWNER, "");
            call.close(Status.UNAVAILABLE.withDescription("the server is stopping"), trailers);
            return new ServerCall.Listener<>() {};
        }
        ArrivedLargeCall large = new ArrivedLargeCall(call, headers, calls);
        call.request(1);
        return large;
    }

    /** Null if the caller is a peer with a compatible version. */
    private @Nullable Status refusal(ServerCall<?, ?> call, Metadata headers) {
        try {
            authentication.require(call.getAttributes(), headers);
        } catch (PetrichorException stranger) {
            return Status.UNAUTHENTICATED.withDescription(stranger.getMessage());
        }
        String offered = headers.get(ProtocolVersions.OFFERED);
        return versions.common(offered).isPresent()
                ? null
                : Status.FAILED_PRECONDITION.withDescription(versions.refusal(offered));
    }

    private Metadata accepted(Metadata headers) {
        Metadata accepted = new Metadata();
        int version = versions.common(headers.get(ProtocolVersions.OFFERED)).orElseThrow();
        accepted.put(ProtocolVersions.CHOSEN, Integer.toString(version));
        return accepted;
    }

    /** Stops accepting calls, and ends each stream when its running calls are answered. */
    void close() {
        closing = true;
        streams.forEach(ArrivedStream::endIfQuiet);
    }
}
