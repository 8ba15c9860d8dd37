package petrichor.rpc;

import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Calls a server like a peer, with any certificate, without its own certificate checks. */
final class TlsClient {
    private TlsClient() {}

    /** The response, or the status of the refusal. */
    static String call(Peer peer, CertificateAuthority.Issued shown, Path trusted)
            throws Exception {
        ManagedChannel channel =
                NettyChannelBuilder.forTarget("dns:///" + peer.address())
                        .overrideAuthority(PeerCertificates.NAME)
                        .sslContext(
                                GrpcSslContexts.forClient()
                                        .keyManager(
                                                shown.certificate().toFile(), shown.key().toFile())
                                        .trustManager(trusted.toFile())
                                        .build())
                        .build();
        Metadata headers = new Metadata();
        headers.put(ProtocolVersions.OFFERED, ProtocolVersions.SUPPORTED.toString());
        headers.put(PeerMethods.METHOD, PeerCall.METHOD);
        try {
            return new String(
                    ClientCalls.blockingUnaryCall(
                            ClientInterceptors.intercept(
                                    channel, MetadataUtils.newAttachHeadersInterceptor(headers)),
                            PeerMethods.LARGE_CALL,
                            CallOptions.DEFAULT,
                            "a".getBytes(StandardCharsets.UTF_8)),
                    StandardCharsets.UTF_8);
        } catch (StatusRuntimeException refused) {
            return refused.getStatus().toString();
        } finally {
            channel.shutdownNow();
        }
    }
}
