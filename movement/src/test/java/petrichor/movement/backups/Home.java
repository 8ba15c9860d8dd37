package petrichor.movement.backups;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.Value;
import java.util.Map;
import java.util.TreeMap;
import petrichor.base.TimeSource;
import petrichor.client.DatabaseName;
import petrichor.entities.Datastore;
import petrichor.entities.EntityDatabase;
import petrichor.entities.EntityRow;
import petrichor.entities.KeyText;
import petrichor.entities.RowLayout;
import petrichor.kv.Direction;
import petrichor.kv.KeyValueStore;
import petrichor.rpc.v1.RowsRequest;
import petrichor.rpc.v1.RowsResponse;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.log.RoutedStores;

/** A datastore over a store of a test, with shorthands. */
final class Home implements RowsOwner, AutoCloseable {
    static final DatabaseName DATABASE = new DatabaseName("p", "");

    final Datastore datastore;
    private final RowDatabases databases;
    private final KeyValueStore store;

    Home(KeyValueStore store) {
        this.store = store;
        this.databases = new RowDatabases(RoutedStores.of(store));
        this.datastore = new Datastore(databases, TimeSource.SYSTEM);
    }

    EntityDatabase database(DatabaseName name) {
        return datastore.databases().open(name.project(), name.database());
    }

    static Key key(String kind, String name) {
        return Key.newBuilder()
                .setPartitionId(DATABASE.partition(""))
                .addPath(Key.PathElement.newBuilder().setKind(kind).setName(name))
                .build();
    }

    static Entity entity(String kind, String name, long value) {
        return Entity.newBuilder()
                .setKey(key(kind, name))
                .putProperties("value", Value.newBuilder().setIntegerValue(value).build())
                .putProperties("square", Value.newBuilder().setIntegerValue(value * value).build())
                .build();
    }

    /** Returns the version of the commit. */
    long commit(Mutation... mutations) {
        CommitRequest.Builder request =
                CommitRequest.newBuilder()
                        .setProjectId(DATABASE.project())
                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
        for (Mutation mutation : mutations) {
            request.addMutations(mutation);
        }
        return datastore.commit(request.build()).join().getMutationResults(0).getVersion();
    }

    long put(String kind, String name, long value) {
        return commit(Mutation.newBuilder().setUpsert(entity(kind, name, value)).build());
    }

    long delete(String kind, String name) {
        return commit(Mutation.newBuilder().setDelete(key(kind, name)).build());
    }

    /** All entities as of a version, in readable form; 0 for the newest. */
    Map<String, String> entities(DatabaseName name, long version) {
        EntityDatabase database = database(name);
        try (Snapshot snapshot =
                        version == 0
                                ? database.rows().snapshot()
                                : database.rows().snapshotAt(version);
                RowCursor cursor = snapshot.scan(RowLayout.entities(), Direction.FORWARD)) {
            Map<String, String> entities = new TreeMap<>();
            while (cursor.next()) {
                Entity entity = EntityRow.entity(cursor.value());
                entities.put(
                        KeyText.of(entity.getKey()),
                        new TreeMap<>(entity.getPropertiesMap()).toString());
            }
            return entities;
        }
    }

    Map<String, String> entities() {
        return entities(DATABASE, 0);
    }

    @Override
    public RowsResponse ask(RowsRequest request) {
        String name = request.getDatabase();
        int slash = name.indexOf('/');
        return new DatabaseRows(
                        slash < 0
                                ? datastore.databases().open(name, "")
                                : datastore
                                        .databases()
                                        .open(name.substring(0, slash), name.substring(slash + 1)))
                .ask(request);
    }

    @Override
    public void close() {
        databases.close();
        store.close();
    }
}
