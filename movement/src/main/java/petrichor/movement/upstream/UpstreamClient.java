package petrichor.movement.upstream;

import com.google.datastore.v1.AllocateIdsRequest;
import com.google.datastore.v1.AllocateIdsResponse;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.ReserveIdsRequest;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.RunQueryResponse;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.grpc.CallOptions;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.client.DatabaseName;
import petrichor.rpc.ByteMessages;

/**
 * Calls the upstream over gRPC, on one connection. Thread-safe; calls block, so they belong on
 * virtual threads. Failures have the upstream's code and text. Nothing is retried: only the caller
 * knows whether a repetition is harmless.
 */
final class UpstreamClient implements AutoCloseable {
    private static final String SERVICE = "google.datastore.v1.Datastore/";
    private static final int RESPONSE_BYTES_MAX = 64 << 20;

    /** Google allows 100 calls at once on a connection. */
    private static final int CONNECTIONS = 8;

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> ROUTING =
            Metadata.Key.of("x-goog-request-params", Metadata.ASCII_STRING_MARSHALLER);
    private static final ApplicationProtocolConfig HTTP_2 =
            new ApplicationProtocolConfig(
                    ApplicationProtocolConfig.Protocol.ALPN,
                    ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                    ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                    ApplicationProtocolNames.HTTP_2);

    private final UpstreamSettings settings;
    private final List<ManagedChannel> channels;
    private final AtomicInteger next = new AtomicInteger();

    UpstreamClient(UpstreamSettings settings) {
        this.settings = settings;
        this.channels = Stream.generate(() -> channel(settings)).limit(CONNECTIONS).toList();
    }

    private static ManagedChannel channel(UpstreamSettings settings) {
        NettyChannelBuilder builder =
                NettyChannelBuilder.forAddress(settings.host(), settings.port())
                        .maxInboundMessageSize(RESPONSE_BYTES_MAX);
        settings.tls()
                .ifPresentOrElse(
                        tls ->
                                builder.sslContext(
                                        new JdkSslContext(
                                                tls,
                                                true,
                                                null,
                                                IdentityCipherSuiteFilter.INSTANCE,
                                                HTTP_2,
                                                ClientAuth.NONE,
                                                null,
                                                false)),
                        builder::usePlaintext);
        return builder.build();
    }

    /** The address, for messages. */
    String address() {
        return settings.address().toString();
    }

    /**
     * @param method such as {@code Lookup}
     * @param nanosMax time for the call; not more than the timeout of the settings
     */
    byte[] call(DatabaseName database, String method, byte[] request, long nanosMax) {
        long nanos = Math.min(settings.callTimeout().toNanos(), nanosMax);
        try {
            byte[] response =
                    ClientCalls.blockingUnaryCall(
                            ClientInterceptors.intercept(
                                    channels.get(
                                            Math.floorMod(next.getAndIncrement(), CONNECTIONS)),
                                    headers(database)),
                            ByteMessages.method(SERVICE + method),
                            CallOptions.DEFAULT.withDeadlineAfter(nanos, TimeUnit.NANOSECONDS),
                            request);
            if (isTooLarge(response)) {
                throw PetrichorException.of(
                        ErrorCode.INTERNAL,
                        "The response of the upstream is larger than {bytes} bytes.",
                        "bytes",
                        RESPONSE_BYTES_MAX);
            }
            return response;
        } catch (StatusRuntimeException failed) {
            throw failure(failed);
        }
    }

    @SuppressWarnings("ReferenceEquality") // a marker
    private static boolean isTooLarge(byte[] response) {
        return response == ByteMessages.TOO_LARGE;
    }

    private ClientInterceptor headers(DatabaseName database) {
        Metadata headers = new Metadata();
        String authorization = settings.authorization().get();
        if (!authorization.isEmpty()) {
            headers.put(AUTHORIZATION, authorization);
        }
        // Google routes a call to a named database by this header.
        headers.put(
                ROUTING,
                "project_id="
                        + encoded(database.project())
                        + "&database_id="
                        + encoded(database.database()));
        return MetadataUtils.newAttachHeadersInterceptor(headers);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    LookupResponse lookup(DatabaseName database, LookupRequest request) {
        return call(database, "Lookup", request, LookupResponse.parser());
    }

    RunQueryResponse runQuery(DatabaseName database, RunQueryRequest request) {
        return call(database, "RunQuery", request, RunQueryResponse.parser());
    }

    CommitResponse commit(DatabaseName database, CommitRequest request) {
        return call(database, "Commit", request, CommitResponse.parser());
    }

    AllocateIdsResponse allocateIds(DatabaseName database, AllocateIdsRequest request) {
        return call(database, "AllocateIds", request, AllocateIdsResponse.parser());
    }

    void reserveIds(DatabaseName database, ReserveIdsRequest request) {
        var _ = call(database, "ReserveIds", request.toByteArray(), Long.MAX_VALUE);
    }

    private <T> T call(DatabaseName database, String method, Message request, Parser<T> parser) {
        return parsed(call(database, method, request.toByteArray(), Long.MAX_VALUE), parser);
    }

    /** INTERNAL if it is not such a message. */
    static <T> T parsed(byte[] response, Parser<T> parser) {
        try {
            return parser.parseFrom(response);
        } catch (InvalidProtocolBufferException malformed) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    malformed,
                    "The response of the upstream cannot be decoded.");
        }
    }

    private PetrichorException failure(StatusRuntimeException failed) {
        Status status = failed.getStatus();
        String said = status.getDescription() == null ? "" : status.getDescription();
        ErrorCode code =
                switch (status.getCode()) {
                    case INVALID_ARGUMENT, OUT_OF_RANGE -> ErrorCode.INVALID_ARGUMENT;
                    case NOT_FOUND -> ErrorCode.NOT_FOUND;
                    case ALREADY_EXISTS -> ErrorCode.ALREADY_EXISTS;
                    case FAILED_PRECONDITION -> ErrorCode.FAILED_PRECONDITION;
                    case ABORTED -> ErrorCode.ABORTED;
                    case RESOURCE_EXHAUSTED -> ErrorCode.RESOURCE_EXHAUSTED;
                    case UNAUTHENTICATED -> ErrorCode.UNAUTHENTICATED;
                    case PERMISSION_DENIED -> ErrorCode.PERMISSION_DENIED;
                    case UNAVAILABLE -> ErrorCode.UNAVAILABLE;
                    case DEADLINE_EXCEEDED, CANCELLED -> ErrorCode.DEADLINE_EXCEEDED;
                    case UNIMPLEMENTED -> ErrorCode.UNIMPLEMENTED;
                    case OK, UNKNOWN, INTERNAL, DATA_LOSS -> ErrorCode.INTERNAL;
                };
        if (code == ErrorCode.UNAVAILABLE && failed.getCause() != null) {
            return PetrichorException.of(
                    code,
                    failed,
                    "The upstream at {address} does not answer: {reason}",
                    "address",
                    address(),
                    "reason",
                    said);
        }
        Metadata trailers = failed.getTrailers();
        if (code == ErrorCode.DEADLINE_EXCEEDED
                && (trailers == null || trailers.keys().isEmpty())) {
            return PetrichorException.of(
                    code,
                    failed,
                    "The upstream at {address} did not answer in time; the outcome of a write is"
                            + " unknown.",
                    "address",
                    address());
        }
        return new PetrichorException(code, said, Map.of("upstream", address()), failed);
    }

    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdownNow);
    }
}
