package petrichor.testing.crash;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.OptionalLong;
import petrichor.bench.GrpcCalls;
import petrichor.testing.process.PetrichorServer;

/** A client of one server that reads and writes named numbers. */
final class NumberClient implements AutoCloseable {
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);

    private final GrpcCalls calls;

    private NumberClient(GrpcCalls calls) {
        this.calls = calls;
    }

    static NumberClient of(PetrichorServer server) {
        return new NumberClient(new GrpcCalls("127.0.0.1", server.port(), ANSWER_WITHIN));
    }

    void put(String project, String name, long number) {
        calls.commit(commit(project, name, number).build());
    }

    void put(ByteString transaction, String project, String name, long number) {
        calls.commit(
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
        return calls
                .lookup(
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
        return calls.begin(BeginTransactionRequest.newBuilder().setProjectId(project).build())
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
        calls.close();
    }
}
