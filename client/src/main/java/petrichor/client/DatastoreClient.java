package petrichor.client;

import com.google.datastore.v1.AllocateIdsRequest;
import com.google.datastore.v1.AllocateIdsResponse;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.ReserveIdsRequest;
import com.google.datastore.v1.ReserveIdsResponse;
import com.google.datastore.v1.RunAggregationQueryRequest;
import com.google.datastore.v1.RunAggregationQueryResponse;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.RunQueryResponse;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * A blocking client of google.datastore.v1 over one connection. Thread-safe. A call occupies its
 * thread, so use virtual threads for many concurrent calls. Failed calls throw a {@link
 * PetrichorException} with the server's code and text; nothing is retried.
 */
public final class DatastoreClient implements EntityTarget, AutoCloseable {
    /** A page of a query may contain many entities of up to 1 MiB. */
    private static final int ANSWER_BYTES_MAX = 256 << 20;

    private static final Duration CALL_TIME_MAX = Duration.ofMinutes(2);
    private static final Duration CLOSE_TIME_MAX = Duration.ofSeconds(5);
    private static final ApplicationProtocolConfig HTTP_2 =
            new ApplicationProtocolConfig(
                    ApplicationProtocolConfig.Protocol.ALPN,
                    ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                    ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                    ApplicationProtocolNames.HTTP_2);
    private static final String SERVICE = "google.datastore.v1.Datastore";

    private static final MethodDescriptor<LookupRequest, LookupResponse> LOOKUP =
            method(
                    "Lookup",
                    LookupRequest.getDefaultInstance(),
                    LookupResponse.getDefaultInstance());
    private static final MethodDescriptor<RunQueryRequest, RunQueryResponse> RUN_QUERY =
            method(
                    "RunQuery",
                    RunQueryRequest.getDefaultInstance(),
                    RunQueryResponse.getDefaultInstance());
    private static final MethodDescriptor<RunAggregationQueryRequest, RunAggregationQueryResponse>
            RUN_AGGREGATION_QUERY =
                    method(
                            "RunAggregationQuery",
                            RunAggregationQueryRequest.getDefaultInstance(),
                            RunAggregationQueryResponse.getDefaultInstance());
    private static final MethodDescriptor<CommitRequest, CommitResponse> COMMIT =
            method(
                    "Commit",
                    CommitRequest.getDefaultInstance(),
                    CommitResponse.getDefaultInstance());
    private static final MethodDescriptor<AllocateIdsRequest, AllocateIdsResponse> ALLOCATE_IDS =
            method(
                    "AllocateIds",
                    AllocateIdsRequest.getDefaultInstance(),
                    AllocateIdsResponse.getDefaultInstance());
    private static final MethodDescriptor<ReserveIdsRequest, ReserveIdsResponse> RESERVE_IDS =
            method(
                    "ReserveIds",
                    ReserveIdsRequest.getDefaultInstance(),
                    ReserveIdsResponse.getDefaultInstance());

    private static final String WHAT_OF_A_SERVER =
            "is a server running there? `petrichor up` starts one; if it requires TLS, use --tls";
    private static final String WHAT_OF_TLS =
            "is a server with TLS and a trusted certificate running there? --tls-trust names the"
                    + " certificate";

    /** gRPC's messages for a peer that does not answer with HTTP/2. */
    private static final Pattern NO_HTTP_2 =
            Pattern.compile("Network closed for unknown reason|First received frame|Hex dump");

    private final ManagedChannel connection;
    private final Channel channel;
    private final String address;
    private final boolean secure;

    DatastoreClient(ManagedChannel connection, Channel channel, String address, boolean secure) {
        this.connection = connection;
        this.channel = channel;
        this.address = address;
        this.secure = secure;
    }

    /** Connects without credentials. Nothing is sent before the first call. */
    public static DatastoreClient open(String host, int port) {
        return open(host, port, "");
    }

    /** Like {@link #open(String, int)}, with a bearer token on every call unless it is empty. */
    public static DatastoreClient open(String host, int port, String token) {
        return open(host, port, token, null);
    }

    /** Like {@link #open(String, int, String)}, with TLS if {@code tls} is not null. */
    public static DatastoreClient open(
            String host, int port, String token, @Nullable SSLContext tls) {
        NettyChannelBuilder builder =
                NettyChannelBuilder.forAddress(host, port).maxInboundMessageSize(ANSWER_BYTES_MAX);
        if (tls == null) {
            builder.usePlaintext();
        } else {
            builder.sslContext(
                    new JdkSslContext(
                            tls,
                            true,
                            null,
                            IdentityCipherSuiteFilter.INSTANCE,
                            HTTP_2,
                            ClientAuth.NONE,
                            null,
                            false));
        }
        ManagedChannel connection = builder.build();
        Channel channel = connection;
        if (!token.isEmpty()) {
            Metadata headers = new Metadata();
            headers.put(
                    Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
                    "Bearer " + token);
            channel =
                    ClientInterceptors.intercept(
                            connection, MetadataUtils.newAttachHeadersInterceptor(headers));
        }
        return new DatastoreClient(connection, channel, host + ":" + port, tls != null);
    }

    public LookupResponse lookup(LookupRequest request) {
        return call(LOOKUP, request);
    }

    public RunQueryResponse runQuery(RunQueryRequest request) {
        return call(RUN_QUERY, request);
    }

    public RunAggregationQueryResponse runAggregationQuery(RunAggregationQueryRequest request) {
        return call(RUN_AGGREGATION_QUERY, request);
    }

    @Override
    public CommitResponse commit(CommitRequest request) {
        return call(COMMIT, request);
    }

    public AllocateIdsResponse allocateIds(AllocateIdsRequest request) {
        return call(ALLOCATE_IDS, request);
    }

    @Override
    public ReserveIdsResponse reserveIds(ReserveIdsRequest request) {
        return call(RESERVE_IDS, request);
    }

    /** Host and port, for messages. */
    public String address() {
        return address;
    }

    @Override
    public void close() {
        connection.shutdown();
        try {
            if (!connection.awaitTermination(CLOSE_TIME_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
                connection.shutdownNow();
            }
        } catch (InterruptedException interrupted) {
            connection.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    private <Q extends Message, A extends Message> A call(
            MethodDescriptor<Q, A> method, Q request) {
        CallOptions options =
                CallOptions.DEFAULT.withDeadlineAfter(
                        CALL_TIME_MAX.toMillis(), TimeUnit.MILLISECONDS);
        try {
            return ClientCalls.blockingUnaryCall(channel, method, options, request);
        } catch (StatusRuntimeException failed) {
            throw failure(method, failed);
        }
    }

    private PetrichorException failure(MethodDescriptor<?, ?> method, StatusRuntimeException e) {
        Status status = e.getStatus();
        String said = status.getDescription() == null ? "no text" : status.getDescription();
        Map<String, Object> facts =
                Map.of("method", method.getFullMethodName(), "address", address);
        Status.Code code = closed(e) ? Status.Code.UNAVAILABLE : status.getCode();
        if (code == Status.Code.UNAVAILABLE && answered(e)) {
            return PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    e,
                    "the server at {address} cannot serve this now: {answer}",
                    "address",
                    address,
                    "answer",
                    said,
                    "method",
                    method.getFullMethodName());
        }
        return switch (code) {
            case UNAVAILABLE ->
                    PetrichorException.of(
                            ErrorCode.UNAVAILABLE,
                            e,
                            "no answer from {address} ({reason}); {advice}",
                            "address",
                            address,
                            "reason",
                            cause(e, said),
                            "advice",
                            secure ? WHAT_OF_TLS : WHAT_OF_A_SERVER,
                            "method",
                            method.getFullMethodName());
            case INVALID_ARGUMENT, OUT_OF_RANGE ->
                    new PetrichorException(ErrorCode.INVALID_ARGUMENT, said, facts, e);
            case NOT_FOUND -> new PetrichorException(ErrorCode.NOT_FOUND, said, facts, e);
            case ALREADY_EXISTS -> new PetrichorException(ErrorCode.ALREADY_EXISTS, said, facts, e);
            case FAILED_PRECONDITION ->
                    new PetrichorException(ErrorCode.FAILED_PRECONDITION, said, facts, e);
            case ABORTED -> new PetrichorException(ErrorCode.ABORTED, said, facts, e);
            case RESOURCE_EXHAUSTED ->
                    new PetrichorException(ErrorCode.RESOURCE_EXHAUSTED, said, facts, e);
            case UNAUTHENTICATED ->
                    new PetrichorException(ErrorCode.UNAUTHENTICATED, said, facts, e);
            case PERMISSION_DENIED ->
                    new PetrichorException(ErrorCode.PERMISSION_DENIED, said, facts, e);
            case DEADLINE_EXCEEDED, CANCELLED ->
                    new PetrichorException(ErrorCode.DEADLINE_EXCEEDED, said, facts, e);
            case UNIMPLEMENTED -> new PetrichorException(ErrorCode.UNIMPLEMENTED, said, facts, e);
            case OK, UNKNOWN, INTERNAL, DATA_LOSS ->
                    new PetrichorException(ErrorCode.INTERNAL, said, facts, e);
        };
    }

    /** Whether the connection closed; gRPC reports that as UNKNOWN if it was just sending. */
    private static boolean closed(StatusRuntimeException e) {
        return e.getStatus().getCode() == Status.Code.UNKNOWN
                && e.getCause() instanceof IOException;
    }

    /**
     * Whether the server itself sent the failure. Then it is running, but something that it needs
     * is not.
     */
    private static boolean answered(StatusRuntimeException e) {
        Metadata trailers = e.getTrailers();
        return e.getCause() == null && trailers != null && !trailers.keys().isEmpty();
    }

    /** The underlying network failure, if known, because "io exception" is not helpful. */
    private static String cause(StatusRuntimeException e, String said) {
        Throwable cause = e.getCause();
        while (cause != null && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof NotSslRecordException) {
            return "the server does not use TLS; omit --tls and --tls-trust";
        }
        String text = cause == null || cause.getMessage() == null ? said : cause.getMessage();
        return NO_HTTP_2.matcher(text).find()
                ? "the connection was closed, as a server that requires TLS does; try --tls"
                : text;
    }

    private static <Q extends Message, A extends Message> MethodDescriptor<Q, A> method(
            String name, Q request, A answer) {
        return MethodDescriptor.<Q, A>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setRequestMarshaller(ProtoUtils.marshaller(request))
                .setResponseMarshaller(ProtoUtils.marshaller(answer))
                .build();
    }
}
