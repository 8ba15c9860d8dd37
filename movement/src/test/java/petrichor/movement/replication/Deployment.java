package petrichor.movement.replication;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Value;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.entities.EntityDatabase;
import petrichor.entities.EntityRow;
import petrichor.entities.KeyText;
import petrichor.entities.RowLayout;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.memory.MemoryStore;
import petrichor.rpc.v1.ReplicaSelection;
import petrichor.rpc.v1.ReplicationRequest;
import petrichor.rpc.v1.ReplicationResponse;
import petrichor.transactions.Database;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.databases.RowDatabases;

/** A server's data in memory, with shorthands. */
final class Deployment implements ReplicationOwner, AutoCloseable {
    static final String PROJECT = "p";

    final Datastore datastore;
    private final RowDatabases databases;
    private final MemoryStore store = MemoryStore.open();

    Deployment() {
        this(TransactionLimits.DEFAULT);
    }

    Deployment(TransactionLimits limits) {
        this.databases = new RowDatabases(store, limits, TimeSource.SYSTEM, new SecureRandom());
        this.datastore = new Datastore(databases, TimeSource.SYSTEM);
    }

    static ReplicationStream stream(String id, ReplicaSelection selection) {
        return new ReplicationStream(id, "dr", PROJECT, PROJECT, "p at east", selection);
    }

    EntityDatabase database() {
        return datastore.databases().open(PROJECT, "");
    }

    Database rows() {
        return database().rows();
    }

    static Entity entity(String kind, String name, long value) {
        return Entity.newBuilder()
                .setKey(
                        Key.newBuilder()
                                .setPartitionId(PartitionId.newBuilder().setProjectId(PROJECT))
                                .addPath(Key.PathElement.newBuilder().setKind(kind).setName(name)))
                .putProperties("value", Value.newBuilder().setIntegerValue(value).build())
                .putProperties("secret", Value.newBuilder().setStringValue("s" + value).build())
                .build();
    }

    /** One transaction that gives both entities the value. */
    void put(long value, String... names) {
        CommitRequest.Builder request =
                CommitRequest.newBuilder()
                        .setProjectId(PROJECT)
                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
        for (String name : names) {
            request.addMutations(Mutation.newBuilder().setUpsert(entity("City", name, value)));
        }
        commit(request);
    }

    void put(Entity entity) {
        commit(
                CommitRequest.newBuilder()
                        .setProjectId(PROJECT)
                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                        .addMutations(Mutation.newBuilder().setUpsert(entity)));
    }

    void delete(String name) {
        commit(
                CommitRequest.newBuilder()
                        .setProjectId(PROJECT)
                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                        .addMutations(
                                Mutation.newBuilder().setDelete(entity("City", name, 0).getKey())));
    }

    private void commit(CommitRequest.Builder request) {
        try {
            var _ = datastore.commit(request.build()).join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof PetrichorException cause ? cause : failed;
        }
    }

    /** All entities with their create times, and all entries of their indexes. */
    Map<String, String> content() {
        Map<String, String> content = new TreeMap<>();
        try (Snapshot snapshot = rows().snapshot()) {
            for (KeyRange range : RowLayout.ofEntities()) {
                try (RowCursor cursor = snapshot.scan(range, Direction.FORWARD)) {
                    while (cursor.next()) {
                        if (RowLayout.isEntity(cursor.key())) {
                            Entity entity = EntityRow.entity(cursor.value());
                            content.put(
                                    KeyText.of(entity.getKey()),
                                    EntityRow.createTime(cursor.version(), cursor.value())
                                            + " "
                                            + new TreeMap<>(entity.getPropertiesMap()));
                        } else if (cursor.key()[0] != 'M') {
                            content.put(HexFormat.of().formatHex(cursor.key()), "");
                        }
                    }
                }
            }
        }
        return content;
    }

    @Override
    public ReplicationResponse ask(ReplicationRequest request) {
        return new ReplicatedDatabase(database()).ask(request);
    }

    @Override
    public void close() {
        databases.close();
        store.close();
    }
}
