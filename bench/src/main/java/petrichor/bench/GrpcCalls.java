package petrichor.bench;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.BeginTransactionResponse;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.RunQueryResponse;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A minimal blocking client on one channel, used by every measurement over gRPC. Safe for any
 * thread.
 */
public final class GrpcCalls implements AutoCloseable {
    private static final int MESSAGE_BYTES_MAX = 64 << 20;
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
    private static final MethodDescriptor<CommitRequest, CommitResponse> COMMIT =
            method(
                    "Commit",
                    CommitRequest.getDefaultInstance(),
                    CommitResponse.getDefaultInstance());
    private static final MethodDescriptor<BeginTransactionRequest, BeginTransactionResponse> BEGIN =
            method(
                    "BeginTransaction",
                    BeginTransactionRequest.getDefaultInstance(),
                    BeginTransactionResponse.getDefaultInstance());

    private final ManagedChannel channel;
    private final @Nullable Duration timeout;

    public GrpcCalls(String host, int port) {
        this(host, port, null);
    }

    /**
     * @param timeout after which a call ends with DEADLINE_EXCEEDED; null for none
     */
    public GrpcCalls(String host, int port, @Nullable Duration timeout) {
        this.timeout = timeout;
        channel =
                NettyChannelBuilder.forAddress(new InetSocketAddress(host, port))
                        .usePlaintext()
                        .directExecutor()
                        .maxInboundMessageSize(MESSAGE_BYTES_MAX)
                        .build();
    }

    public LookupResponse lookup(LookupRequest request) {
        return call(LOOKUP, request);
    }

    public RunQueryResponse runQuery(RunQueryRequest request) {
        return call(RUN_QUERY, request);
    }

    public CommitResponse commit(CommitRequest request) {
        return call(COMMIT, request);
    }

    public BeginTransactionResponse begin(BeginTransactionRequest request) {
        return call(BEGIN, request);
    }

    private <Q, A> A call(MethodDescriptor<Q, A> method, Q request) {
        return ClientCalls.blockingUnaryCall(
                channel,
                method,
                timeout == null
                        ? CallOptions.DEFAULT
                        : CallOptions.DEFAULT.withDeadlineAfter(timeout),
                request);
    }

    static <Q extends Message, A extends Message> MethodDescriptor<Q, A> method(
            String name, Q request, A response) {
        return MethodDescriptor.<Q, A>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setRequestMarshaller(ProtoUtils.marshaller(request))
                .setResponseMarshaller(ProtoUtils.marshaller(response))
                .build();
    }

    @Override
    public void close() {
        channel.shutdownNow();
        try {
            if (!channel.awaitTermination(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("a channel did not close within 10 s");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
