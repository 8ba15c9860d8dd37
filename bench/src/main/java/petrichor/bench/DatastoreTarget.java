package petrichor.bench;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.ReadOptions;
import com.google.protobuf.ByteString;
import java.util.List;

/** Datastore v1 over gRPC. */
record DatastoreTarget(GrpcCalls calls) implements Target {
    @Override
    public void put(List<Entity> entities) {
        calls.commit(SampleData.upserts(entities));
    }

    @Override
    public void get(long number) {
        found(SampleData.lookup(List.of(SampleData.key(number))), number);
    }

    @Override
    public void query(long group, int expected) {
        int results = calls.runQuery(SampleData.byGroup(group)).getBatch().getEntityResultsCount();
        if (results != expected) {
            throw new IllegalStateException(
                    "group " + group + ": " + results + " results, not " + expected);
        }
    }

    @Override
    public void transaction(long number, long revision) {
        ByteString transaction =
                calls.begin(
                                BeginTransactionRequest.newBuilder()
                                        .setProjectId(SampleData.PROJECT)
                                        .build())
                        .getTransaction();
        found(
                SampleData.lookup(List.of(SampleData.key(number))).toBuilder()
                        .setReadOptions(ReadOptions.newBuilder().setTransaction(transaction))
                        .build(),
                number);
        calls.commit(
                CommitRequest.newBuilder()
                        .setProjectId(SampleData.PROJECT)
                        .setMode(CommitRequest.Mode.TRANSACTIONAL)
                        .setTransaction(transaction)
                        .addMutations(
                                Mutation.newBuilder()
                                        .setUpdate(SampleData.entity(number, revision)))
                        .build());
    }

    private void found(LookupRequest request, long number) {
        if (calls.lookup(request).getFoundCount() != 1) {
            throw new IllegalStateException("entity " + number + " is not there");
        }
    }

    @Override
    public void close() {
        calls.close();
    }
}
