package petrichor.bench.stores;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.TransactionOptions;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.concurrent.ExecutionException;
import petrichor.base.PetrichorException;
import petrichor.entities.Datastore;
import petrichor.entities.LookupResult;

/**
 * The operations of the comparison as blocking calls of the entity layer. Safe for any thread;
 * failures are {@link PetrichorException}.
 */
record EntityCalls(Datastore datastore, String project) {

    /** An empty commit: all layers except the store. */
    void nothing() {
        commit(notrans());
    }

    void put(List<Entity> entities) {
        CommitRequest.Builder request = notrans();
        entities.forEach(one -> request.addMutations(Mutation.newBuilder().setUpsert(one)));
        commit(request);
    }

    void putInTransaction(Entity entity) {
        commit(transactional(begin()).addMutations(Mutation.newBuilder().setUpsert(entity)));
    }

    void delete(Key key) {
        commit(notrans().addMutations(Mutation.newBuilder().setDelete(key)));
    }

    void deleteInTransaction(Key key) {
        commit(transactional(begin()).addMutations(Mutation.newBuilder().setDelete(key)));
    }

    void get(Key key) {
        found(datastore.lookup(lookup(key).build()), key);
    }

    void getInTransaction(Key key) {
        LookupResult result =
                datastore.lookup(
                        lookup(key)
                                .setReadOptions(
                                        ReadOptions.newBuilder()
                                                .setNewTransaction(
                                                        TransactionOptions.getDefaultInstance()))
                                .build());
        found(result, key);
        commit(transactional(result.transaction()));
    }

    /** Returns the number of entities found. */
    int query(Query query) {
        return datastore
                .runQuery(
                        RunQueryRequest.newBuilder()
                                .setProjectId(project)
                                .setPartitionId(PartitionId.newBuilder().setProjectId(project))
                                .setQuery(query)
                                .build())
                .hits()
                .size();
    }

    private LookupRequest.Builder lookup(Key key) {
        return LookupRequest.newBuilder().setProjectId(project).addKeys(key);
    }

    private static void found(LookupResult result, Key key) {
        if (result.found().isEmpty()) {
            throw new IllegalStateException("a loaded entity is missing: " + key);
        }
    }

    private ByteString begin() {
        return datastore
                .beginTransaction(
                        BeginTransactionRequest.newBuilder().setProjectId(project).build())
                .getTransaction();
    }

    private CommitRequest.Builder notrans() {
        return CommitRequest.newBuilder()
                .setProjectId(project)
                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
    }

    private CommitRequest.Builder transactional(ByteString transaction) {
        return CommitRequest.newBuilder()
                .setProjectId(project)
                .setMode(CommitRequest.Mode.TRANSACTIONAL)
                .setTransaction(transaction);
    }

    private void commit(CommitRequest.Builder request) {
        try {
            var _ = datastore.commit(request.build()).get();
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof PetrichorException known
                    ? known
                    : new IllegalStateException(failed.getCause());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
