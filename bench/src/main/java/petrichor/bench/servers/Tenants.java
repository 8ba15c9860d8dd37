package petrichor.bench.servers;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import java.util.ArrayList;
import java.util.List;
import petrichor.bench.GrpcCalls;
import petrichor.bench.SampleData;

/** Requests to many databases that hold the same sample entities. */
record Tenants(int databases) {
    /** Per database. */
    static final int ENTITIES = 1_000;

    private static final int BATCH = 200;

    static String database(int number) {
        return "tenant-" + number;
    }

    void load(GrpcCalls client) {
        for (int database = 0; database < databases; database++) {
            for (int from = 0; from < ENTITIES; from += BATCH) {
                List<Entity> batch = new ArrayList<>(BATCH);
                for (int n = from; n < from + BATCH; n++) {
                    batch.add(entity(database(database), n, 0));
                }
                client.commit(upserts(database(database), batch));
            }
        }
    }

    static CommitRequest put(String database, long number, long revision) {
        return upserts(database, List.of(entity(database, number, revision)));
    }

    static LookupRequest lookup(String database, long number) {
        return LookupRequest.newBuilder()
                .setProjectId(database)
                .addKeys(in(database, SampleData.entity(number, 0).getKey()))
                .build();
    }

    private static Entity entity(String database, long number, long revision) {
        Entity entity = SampleData.entity(number, revision);
        return entity.toBuilder().setKey(in(database, entity.getKey())).build();
    }

    private static Key in(String database, Key key) {
        Key.Builder moved = key.toBuilder();
        moved.getPartitionIdBuilder().setProjectId(database);
        return moved.build();
    }

    private static CommitRequest upserts(String database, List<Entity> entities) {
        CommitRequest.Builder commit =
                CommitRequest.newBuilder()
                        .setProjectId(database)
                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
        for (Entity entity : entities) {
            commit.addMutations(Mutation.newBuilder().setUpsert(entity));
        }
        return commit.build();
    }
}
