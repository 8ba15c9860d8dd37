package petrichor.testing.cluster;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.RunQueryResponse;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import petrichor.server.Server;
import petrichor.server.ServerConfig;

/** A real server, in memory, behind a relay that violates one of its guarantees. */
final class DefectiveServer implements AutoCloseable {
    private static final String SERVICE = "google.datastore.v1.Datastore";
    private static final int LOST_OF = 20;

    /** The violated guarantee. */
    enum Defect {
        NONE,
        /** A transaction's reads are not validated when it commits. */
        READS_FORGOTTEN,
        /** Reads of one transaction after its first see the newest state. */
        SNAPSHOTS_MIXED,
        /** Some commits are acknowledged but not executed. */
        COMMITS_LOST,
        /** The last write of some commits is missing. */
        COMMITS_HALVED
    }

    private final Server server;
    private final ManagedChannel channel;
    private final io.grpc.Server relay;
    private final Defect defect;
    private final AtomicLong commits = new AtomicLong();

    DefectiveServer(Defect defect) {
        this.defect = defect;
        server = Server.start(ServerConfig.defaults().withMemory().withPort(0));
        channel =
                NettyChannelBuilder.forAddress(
                                new InetSocketAddress(
                                        InetAddress.getLoopbackAddress(), server.port()))
                        .usePlaintext()
                        .build();
        MethodDescriptor<CommitRequest, CommitResponse> commit =
                method(
                        "Commit",
                        CommitRequest.getDefaultInstance(),
                        CommitResponse.getDefaultInstance());
        MethodDescriptor<LookupRequest, LookupResponse> lookup =
                method(
                        "Lookup",
                        LookupRequest.getDefaultInstance(),
                        LookupResponse.getDefaultInstance());
        MethodDescriptor<RunQueryRequest, RunQueryResponse> query =
                method(
                        "RunQuery",
                        RunQueryRequest.getDefaultInstance(),
                        RunQueryResponse.getDefaultInstance());
        relay =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .executor(Executors.newVirtualThreadPerTaskExecutor())
                        .addService(
                                ServerServiceDefinition.builder(SERVICE)
                                        .addMethod(commit, ServerCalls.asyncUnaryCall(this::commit))
                                        .addMethod(
                                                lookup,
                                                relayed(
                                                        lookup,
                                                        request ->
                                                                request.toBuilder()
                                                                        .setReadOptions(
                                                                                read(
                                                                                        request
                                                                                                .getReadOptions()))
                                                                        .build()))
                                        .addMethod(
                                                query,
                                                relayed(
                                                        query,
                                                        request ->
                                                                request.toBuilder()
                                                                        .setReadOptions(
                                                                                read(
                                                                                        request
                                                                                                .getReadOptions()))
                                                                        .build()))
                                        .build())
                        .build();
        try {
            relay.start();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static <Q extends Message, A extends Message> MethodDescriptor<Q, A> method(
            String name, Q request, A answer) {
        return MethodDescriptor.<Q, A>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(SERVICE + "/" + name)
                .setRequestMarshaller(ProtoUtils.marshaller(request))
                .setResponseMarshaller(ProtoUtils.marshaller(answer))
                .build();
    }

    int port() {
        return relay.getPort();
    }

    private ReadOptions read(ReadOptions options) {
        return defect == Defect.SNAPSHOTS_MIXED && !options.getTransaction().isEmpty()
                ? ReadOptions.getDefaultInstance()
                : options;
    }

    private <Q, A> io.grpc.ServerCallHandler<Q, A> relayed(
            MethodDescriptor<Q, A> method, UnaryOperator<Q> change) {
        return ServerCalls.asyncUnaryCall(
                (request, answers) -> relay(method, change.apply(request), answers));
    }

    private <Q, A> void relay(MethodDescriptor<Q, A> method, Q request, StreamObserver<A> answers) {
        A answer;
        try {
            answer = ClientCalls.blockingUnaryCall(channel, method, CallOptions.DEFAULT, request);
        } catch (StatusRuntimeException failed) {
            answers.onError(failed);
            return;
        }
        answers.onNext(answer);
        answers.onCompleted();
    }

    private void commit(CommitRequest request, StreamObserver<CommitResponse> answers) {
        boolean struck = commits.incrementAndGet() % LOST_OF == 0;
        if (struck && defect == Defect.COMMITS_LOST) {
            answers.onNext(CommitResponse.getDefaultInstance());
            answers.onCompleted();
            return;
        }
        CommitRequest.Builder changed = request.toBuilder();
        if (defect == Defect.READS_FORGOTTEN) {
            changed.clearTransaction().setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
        }
        if (struck && defect == Defect.COMMITS_HALVED && request.getMutationsCount() > 1) {
            changed.removeMutations(request.getMutationsCount() - 1);
        }
        MethodDescriptor<CommitRequest, CommitResponse> method =
                method(
                        "Commit",
                        CommitRequest.getDefaultInstance(),
                        CommitResponse.getDefaultInstance());
        relay(method, changed.build(), answers);
    }

    @Override
    public void close() {
        relay.shutdownNow();
        channel.shutdownNow();
        server.close();
    }
}
