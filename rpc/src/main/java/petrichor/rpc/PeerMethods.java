package petrichor.rpc;

import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.protobuf.ProtoUtils;
import java.util.Optional;
import petrichor.rpc.v1.Calls;
import petrichor.rpc.v1.Replies;

/** The gRPC methods between servers, and their headers. */
public final class PeerMethods {
    static final String SERVICE = "petrichor.rpc.v1.Peers";

    /** The stream of small calls to a server. It lasts as long as both servers do. */
    public static final String EXCHANGE = SERVICE + "/Exchange";

    /**
     * One large call, which would delay small ones on their stream. The body is the message,
     * everything else is in the headers.
     */
    public static final String FORWARD = SERVICE + "/Forward";

    /** The name of the stream in releases before protocol version 1. */
    static final String FORMER_SERVICE = "petrichor.cluster.v1.Peers";

    /** A call with a larger body is forwarded outside the stream. */
    static final int STREAM_BODY_BYTES_MAX = 64 << 10;

    /** Header of a call outside the stream: the method of the routed service. */
    static final Metadata.Key<String> METHOD =
            Metadata.Key.of("petrichor-method", Metadata.ASCII_STRING_MARSHALLER);

    static final Metadata.Key<String> TRACEPARENT =
            Metadata.Key.of(Trace.HEADER, Metadata.ASCII_STRING_MARSHALLER);

    /** Trailer of a call refused by a server that is not the owner: nothing was done. */
    static final Metadata.Key<String> NOT_OWNER =
            Metadata.Key.of("petrichor-not-owner", Metadata.ASCII_STRING_MARSHALLER);

    /** Trailer of a failed call that the server decoded: the status is not gRPC's own. */
    static final Metadata.Key<String> EXECUTED =
            Metadata.Key.of("petrichor-executed", Metadata.ASCII_STRING_MARSHALLER);

    static final MethodDescriptor<Calls, Replies> STREAM =
            MethodDescriptor.<Calls, Replies>newBuilder()
                    .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                    .setFullMethodName(EXCHANGE)
                    .setRequestMarshaller(ProtoUtils.marshaller(Calls.getDefaultInstance()))
                    .setResponseMarshaller(ProtoUtils.marshaller(Replies.getDefaultInstance()))
                    .build();

    static final MethodDescriptor<byte[], byte[]> LARGE_CALL = ByteMessages.method(FORWARD);

    private PeerMethods() {}

    /** The routed method of a call outside the stream. */
    public static Optional<String> routedMethod(Metadata headers) {
        return Optional.ofNullable(headers.get(METHOD));
    }
}
