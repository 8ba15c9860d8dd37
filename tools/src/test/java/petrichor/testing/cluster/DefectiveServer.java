package petrichor.testing.cluster;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.RunQueryResponse;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
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
import petrichor.client.DatastoreClient;
import petrichor.server.Server;
import petrichor.server.config.ServerConfig;

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
        /** Some commits are executed, but the client does not learn it: not a violation. */
        ANSWERS_LOST,
        /** Some commits are acknowledged but not executed. */
        COMMITS_LOST,
        /** The last write of some commits is missing. */
        COMMITS_HALVED,
        /** An entity is missing; see {@link #damage}. */
        ENTITY_LOST,
        /** An entity has the content of another one. */
        ENTITY_MISPLACED,
        /** The large value of an entity has a wrong byte. */
        ENTITY_DAMAGED,
        /** There is an entity that no client wrote. */
        ENTITY_ADDED,
        /** Queries do not return an entity that lookups return. */
        KEY_LOST
    }

    private final Server server;
    private final ManagedChannel channel;
    private final io.grpc.Server relay;
    private final Defect defect;
    private final AtomicLong commits = new AtomicLong();
    private volatile String lostKey = "";

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
                                        .addMethod(query, ServerCalls.asyncUnaryCall(this::query))
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
        relay(method, request, answers, UnaryOperator.identity());
    }

    private <Q, A> void relay(
            MethodDescriptor<Q, A> method,
            Q request,
            StreamObserver<A> answers,
            UnaryOperator<A> change) {
        A answer;
        try {
            answer = ClientCalls.blockingUnaryCall(channel, method, CallOptions.DEFAULT, request);
        } catch (StatusRuntimeException failed) {
            answers.onError(failed);
            return;
        }
        answers.onNext(change.apply(answer));
        answers.onCompleted();
    }

    private void query(RunQueryRequest request, StreamObserver<RunQueryResponse> answers) {
        MethodDescriptor<RunQueryRequest, RunQueryResponse> method =
                method(
                        "RunQuery",
                        RunQueryRequest.getDefaultInstance(),
                        RunQueryResponse.getDefaultInstance());
        RunQueryRequest changed =
                request.toBuilder().setReadOptions(read(request.getReadOptions())).build();
        relay(method, changed, answers, this::withoutLostKey);
    }

    private RunQueryResponse withoutLostKey(RunQueryResponse answer) {
        RunQueryResponse.Builder kept = answer.toBuilder();
        kept.getBatchBuilder()
                .clearEntityResults()
                .addAllEntityResults(
                        answer.getBatch().getEntityResultsList().stream()
                                .filter(
                                        result ->
                                                !result.getEntity()
                                                        .getKey()
                                                        .getPath(0)
                                                        .getName()
                                                        .equals(lostKey))
                                .toList());
        return kept.build();
    }

    private static Entity found(DatastoreClient client, Key key) {
        return client.lookup(
                        LookupRequest.newBuilder()
                                .setProjectId(LabClient.PROJECT)
                                .setDatabaseId(key.getPartitionId().getDatabaseId())
                                .addKeys(key)
                                .build())
                .getFound(0)
                .getEntity();
    }

    /**
     * Damages one existing entity as the defect says.
     *
     * @param other another existing entity
     */
    void damage(Key key, Key other) {
        String database = key.getPartitionId().getDatabaseId();
        try (DatastoreClient client = DatastoreClient.open("127.0.0.1", server.port())) {
            CommitRequest.Builder commit =
                    CommitRequest.newBuilder()
                            .setProjectId(LabClient.PROJECT)
                            .setDatabaseId(database)
                            .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
            switch (defect) {
                case ENTITY_LOST -> commit.addMutationsBuilder().setDelete(key);
                case ENTITY_MISPLACED ->
                        commit.addMutationsBuilder()
                                .setUpdate(found(client, other).toBuilder().setKey(key));
                case ENTITY_DAMAGED -> {
                    Entity.Builder entity = found(client, key).toBuilder();
                    Value.Builder content = entity.getPropertiesOrThrow("content").toBuilder();
                    byte[] bytes = content.getBlobValue().toByteArray();
                    bytes[bytes.length / 2] ^= 1;
                    content.setBlobValue(ByteString.copyFrom(bytes));
                    commit.addMutationsBuilder()
                            .setUpdate(entity.putProperties("content", content.build()));
                }
                case ENTITY_ADDED -> {
                    Key.Builder added = key.toBuilder();
                    added.getPathBuilder(0).setName("added");
                    commit.addMutationsBuilder().setInsert(Entity.newBuilder().setKey(added));
                }
                case KEY_LOST -> {
                    lostKey = key.getPath(0).getName();
                    return;
                }
                case NONE,
                        READS_FORGOTTEN,
                        SNAPSHOTS_MIXED,
                        ANSWERS_LOST,
                        COMMITS_LOST,
                        COMMITS_HALVED -> {
                    throw new IllegalStateException(defect + " does not damage an entity");
                }
            }
            client.commit(commit.build());
        }
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
        if (struck && defect == Defect.ANSWERS_LOST) {
            try {
                ClientCalls.blockingUnaryCall(
                        channel, method, CallOptions.DEFAULT, changed.build());
            } catch (StatusRuntimeException _) {
                // The client learns neither.
            }
            answers.onError(Status.UNAVAILABLE.asRuntimeException());
            return;
        }
        relay(method, changed.build(), answers);
    }

    @Override
    public void close() {
        relay.shutdownNow();
        channel.shutdownNow();
        server.close();
    }
}
