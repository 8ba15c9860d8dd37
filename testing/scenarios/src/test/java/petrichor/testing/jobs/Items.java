package petrichor.testing.jobs;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.Value;
import petrichor.client.DatabaseName;
import petrichor.client.DatastoreClient;
import petrichor.jobs.entities.EntityDatabase;

/** Writes entities without a job: Item n has the number n and belongs to group n % 7. */
final class Items implements AutoCloseable {
    static final String KIND = "Item";
    static final int GROUPS = 7;

    private static final int PER_COMMIT = 500;

    private final EntityDatabase database;
    private final DatastoreClient client;

    Items(EntityDatabase database) {
        this.database = database;
        this.client = DatastoreClient.open(database.host(), database.port());
    }

    void write(int from, int to) {
        for (int begin = from; begin < to; begin += PER_COMMIT) {
            var request = request();
            for (int n = begin; n < Math.min(to, begin + PER_COMMIT); n++) {
                request.addMutations(Mutation.newBuilder().setUpsert(item(n, n)));
            }
            client.commit(request.build());
        }
    }

    /** Gives an item a number that differs from its name. */
    void change(int item, long number) {
        client.commit(
                request()
                        .addMutations(Mutation.newBuilder().setUpsert(item(item, number)))
                        .build());
    }

    void remove(int item) {
        client.commit(request().addMutations(Mutation.newBuilder().setDelete(key(item))).build());
    }

    private CommitRequest.Builder request() {
        return CommitRequest.newBuilder()
                .setProjectId(database.project())
                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
    }

    private Entity item(int item, long number) {
        return Entity.newBuilder()
                .setKey(key(item))
                .putProperties("number", Value.newBuilder().setIntegerValue(number).build())
                .putProperties("group", Value.newBuilder().setIntegerValue(item % GROUPS).build())
                .build();
    }

    private Key key(int item) {
        return Key.newBuilder()
                .setPartitionId(new DatabaseName(database.project(), "").partition(""))
                .addPath(Key.PathElement.newBuilder().setKind(KIND).setName("%06d".formatted(item)))
                .build();
    }

    @Override
    public void close() {
        client.close();
    }
}
