package petrichor.movement.duckdb;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Value;
import java.security.SecureRandom;
import java.util.concurrent.CompletionException;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.kv.memory.MemoryStore;
import petrichor.movement.replication.ReplicatedDatabase;
import petrichor.movement.replication.ReplicationOwner;
import petrichor.rpc.v1.ReplicationRequest;
import petrichor.rpc.v1.ReplicationResponse;
import petrichor.sql.SqlDatabase;
import petrichor.sql.SqlSession;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.databases.RowDatabases;

/** The source of a replication: a server's data in memory, with entities and tables. */
final class Source implements ReplicationOwner, AutoCloseable {
    static final String PROJECT = "p";

    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases databases =
            new RowDatabases(
                    store, TransactionLimits.DEFAULT, TimeSource.SYSTEM, new SecureRandom());
    private final Datastore datastore = new Datastore(databases, TimeSource.SYSTEM);
    private final SqlDatabase tables =
            SqlDatabase.open(datastore.databases().open(PROJECT, "").rows());
    private final SqlSession session = tables.connect("ada");

    static Value integer(long value) {
        return Value.newBuilder().setIntegerValue(value).build();
    }

    static Value text(String value) {
        return Value.newBuilder().setStringValue(value).build();
    }

    static Entity.Builder entity(String kind, String name) {
        return Entity.newBuilder()
                .setKey(
                        Key.newBuilder()
                                .setPartitionId(PartitionId.newBuilder().setProjectId(PROJECT))
                                .addPath(Key.PathElement.newBuilder().setKind(kind).setName(name)));
    }

    /** In one transaction. */
    void put(Entity.Builder... entities) {
        CommitRequest.Builder request = request();
        for (Entity.Builder entity : entities) {
            request.addMutations(Mutation.newBuilder().setUpsert(entity));
        }
        commit(request);
    }

    void delete(Entity.Builder entity) {
        commit(request().addMutations(Mutation.newBuilder().setDelete(entity.getKey())));
    }

    private static CommitRequest.Builder request() {
        return CommitRequest.newBuilder()
                .setProjectId(PROJECT)
                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
    }

    private void commit(CommitRequest.Builder request) {
        try {
            var _ = datastore.commit(request.build()).join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof PetrichorException cause ? cause : failed;
        }
    }

    void sql(String... statements) {
        for (String statement : statements) {
            var _ = session.execute(statement);
        }
    }

    @Override
    public ReplicationResponse ask(ReplicationRequest request) {
        return new ReplicatedDatabase(datastore.databases().open(PROJECT, "")).ask(request);
    }

    @Override
    public void close() {
        session.close();
        tables.close();
        databases.close();
        store.close();
    }
}
