package petrichor.testing.crash;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.BeginTransactionResponse;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import petrichor.testing.process.PetrichorServer;

/** A client of one server that keeps named numbers. */
final class NumberClient implements AutoCloseable {
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
    private static final MethodDescriptor<LookupRequest, LookupResponse> LOOKUP =
            method(
                    "Lookup",
                    LookupRequest.getDefaultInstance(),
                    LookupResponse.getDefaultInstance());
    private static final int ANSWER_WITHIN_S = 30;

    private final ManagedChannel channel;

    private NumberClient(ManagedChannel channel) {
        this.channel = channel;
    }

    static NumberClient of(PetrichorServer server) {
        return new NumberClient(
                NettyChannelBuilder.forAddress("127.0.0.1", server.port()).usePlaintext().build());
    }

    private static <Q extends Message, A extends Message> MethodDescriptor<Q, A> method(
            String name, Q request, A response) {
        return MethodDescriptor.<Q, A>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName("google.datastore.v1.Datastore/" + name)
                .setRequestMarshaller(ProtoUtils.marshaller(request))
                .setResponseMarshaller(ProtoUtils.marshaller(response))
                .build();
    }

    private <Q, A> A call(MethodDescriptor<Q, A> method, Q request) {
        return ClientCalls.blockingUnaryCall(
                channel,
                method,
                CallOptions.DEFAULT.withDeadlineAfter(ANSWER_WITHIN_S, TimeUnit.SECONDS),
                request);
    }

    void put(String project, String name, long number) {
        call(COMMIT, commit(project, name, number).build());
    }

    void put(ByteString transaction, String project, String name, long number) {
        call(
                COMMIT,
                commit(project, name, number)
                        .setMode(CommitRequest.Mode.TRANSACTIONAL)
                        .setTransaction(transaction)
                        .build());
    }

    private static CommitRequest.Builder commit(String project, String name, long number) {
        Entity.Builder entity = Entity.newBuilder().setKey(key(project, name));
        entity.putProperties("n", Value.newBuilder().setIntegerValue(number).build());
        return CommitRequest.newBuilder()
                .setProjectId(project)
                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                .addMutations(Mutation.newBuilder().setUpsert(entity));
    }

    OptionalLong get(String project, String name) {
        return get(project, name, ReadOptions.getDefaultInstance());
    }

    OptionalLong get(ByteString transaction, String project, String name) {
        return get(project, name, ReadOptions.newBuilder().setTransaction(transaction).build());
    }

    private OptionalLong get(String project, String name, ReadOptions options) {
        return call(
                        LOOKUP,
                        LookupRequest.newBuilder()
                                .setProjectId(project)
                                .setReadOptions(options)
                                .addKeys(key(project, name))
                                .build())
                .getFoundList()
                .stream()
                .mapToLong(found -> found.getEntity().getPropertiesOrThrow("n").getIntegerValue())
                .findFirst();
    }

    ByteString begin(String project) {
        return call(BEGIN, BeginTransactionRequest.newBuilder().setProjectId(project).build())
                .getTransaction();
    }

    private static Key key(String project, String name) {
        Key.Builder key = Key.newBuilder();
        key.getPartitionIdBuilder().setProjectId(project);
        key.addPathBuilder().setKind("Number").setName(name);
        return key.build();
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
