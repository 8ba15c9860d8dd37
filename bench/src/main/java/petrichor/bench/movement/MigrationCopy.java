package petrichor.bench.movement;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.ReadOptions;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import petrichor.bench.GrpcCalls;
import petrichor.bench.Loading;
import petrichor.bench.Sample;
import petrichor.bench.SampleData;

/**
 * How fast a migration copies, beside a bulk load of the same entities into the same kind of store,
 * and the time per entity by size, beside table 8.3 of seed 000.
 */
final class MigrationCopy {
    private static final double TARGET = 0.8;
    private static final String COPY = "copy of a migration";
    private static final String LOAD = "bulk load";
    private static final String SERIAL = "transactions, one at a time";
    private static final String SEED = "seed 000";

    /** Of a size, at most. */
    private static final long BYTES_MAX = 32 << 20;

    private static final int SIZED_ENTITIES_MAX = 10_000;
    private static final int SERIAL_ENTITIES = 500;
    private static final int BATCH_BYTES = 1 << 20;
    private static final int BATCH_ENTITIES = 200;

    /** Milliseconds per entity in seed 000, by bytes. */
    private static final Map<Integer, Double> SEED_MS = seed();

    private final MovementRun run;
    private final MovementServer moving;
    private final MovementServer loaded;
    private final Migration migration;

    /**
     * @param moving whose database is copied
     * @param loaded over a store of the same kind as that which the copy is written to
     */
    MigrationCopy(MovementRun run, MovementServer moving, MovementServer loaded) {
        this.run = run;
        this.moving = moving;
        this.loaded = loaded;
        this.migration = new Migration(moving, "");
    }

    private static Map<Integer, Double> seed() {
        Map<Integer, Double> times = new LinkedHashMap<>();
        times.put(100, 2.45);
        times.put(500, 2.29);
        times.put(1_000, 2.43);
        times.put(5_000, 2.62);
        times.put(10_000, 2.71);
        times.put(50_000, 2.88);
        times.put(100_000, 3.18);
        return times;
    }

    void measure() throws Exception {
        try (GrpcCalls from = moving.client();
                GrpcCalls into = loaded.client()) {
            rate(from, into);
            sizes(from, into);
        }
    }

    /** The database has the entities of the latencies. Each round loads others. */
    private void rate(GrpcCalls from, GrpcCalls into) throws Exception {
        Loading.load(from, run.entities());
        Map<String, List<Sample>> samples = new LinkedHashMap<>();
        samples.put(COPY, new ArrayList<>());
        samples.put(LOAD, new ArrayList<>());
        for (int round = 0; round <= run.rounds(); round++) {
            run.progress().say("copy, round " + round + " of " + run.rounds());
            double loadSeconds = loadSeconds(into, round * run.entities());
            double copySeconds = copySeconds(migration);
            if (round > 0) {
                samples.getOrDefault(COPY, List.of())
                        .add(Sample.ofRate(run.entities() / copySeconds));
                samples.getOrDefault(LOAD, List.of())
                        .add(Sample.ofRate(run.entities() / loadSeconds));
            }
        }
        run.add("entities per second into " + Migration.OTHER, COPY, samples, Map.of(LOAD, TARGET));
    }

    private double loadSeconds(GrpcCalls into, int first) throws Exception {
        long began = System.nanoTime();
        Loading.load(into, first, run.entities());
        return (System.nanoTime() - began) / 1e9;
    }

    private static double copySeconds(Migration migration) throws InterruptedException {
        long began = System.nanoTime();
        migration.start();
        MovementServer.await(
                "copied", MovementRun.LONG, () -> !migration.phase().equals(Migration.COPY));
        double seconds = (System.nanoTime() - began) / 1e9;
        migration.awaitPhase(Migration.READY);
        migration.cancel();
        return seconds;
    }

    /** Each size has a database of its own. */
    private void sizes(GrpcCalls from, GrpcCalls into) throws Exception {
        for (Map.Entry<Integer, Double> size : SEED_MS.entrySet()) {
            int bytes = size.getKey();
            run.progress().say("entities of " + bytes + " bytes");
            String database = "size-" + bytes;
            List<Entity> entities = entities(database, bytes);
            load(from, database, entities);
            double copy = copySeconds(new Migration(moving, database)) * 1e3 / entities.size();
            double serial = serialMillis(into, database, entities);
            Map<String, List<Sample>> samples = new LinkedHashMap<>();
            samples.put(COPY, List.of(Sample.ofRate(1e3 / copy)));
            samples.put(SERIAL, List.of(Sample.ofRate(1e3 / serial)));
            samples.put(SEED, List.of(Sample.ofRate(1e3 / size.getValue())));
            run.add(
                    String.format(Locale.ROOT, "entities of %,d bytes per second", bytes),
                    COPY,
                    samples,
                    Map.of(SEED, 1.0));
        }
    }

    private static CommitRequest.Builder commit(String database) {
        return CommitRequest.newBuilder()
                .setProjectId(SampleData.PROJECT)
                .setDatabaseId(database)
                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
    }

    private static List<Entity> entities(String database, int bytes) {
        int count = (int) Math.min(SIZED_ENTITIES_MAX, BYTES_MAX / bytes);
        List<Entity> entities = new ArrayList<>(count);
        for (int n = 0; n < count; n++) {
            entities.add(Sized.entity(database, n, bytes, 0));
        }
        return entities;
    }

    private static void load(GrpcCalls into, String database, List<Entity> entities) {
        CommitRequest.Builder commit = commit(database);
        long bytes = 0;
        for (Entity entity : entities) {
            commit.addMutations(Mutation.newBuilder().setUpsert(entity));
            bytes += entity.getSerializedSize();
            if (bytes >= BATCH_BYTES || commit.getMutationsCount() == BATCH_ENTITIES) {
                var _ = into.commit(commit.build());
                commit = commit(database);
                bytes = 0;
            }
        }
        if (commit.getMutationsCount() > 0) {
            var _ = into.commit(commit.build());
        }
    }

    /** As in the seed: a transaction that reads the key and writes the entity. */
    private static double serialMillis(GrpcCalls into, String database, List<Entity> entities) {
        int count = Math.min(SERIAL_ENTITIES, entities.size());
        long began = System.nanoTime();
        for (Entity entity : entities.subList(0, count)) {
            ByteString transaction =
                    into.begin(
                                    BeginTransactionRequest.newBuilder()
                                            .setProjectId(SampleData.PROJECT)
                                            .setDatabaseId(database)
                                            .build())
                            .getTransaction();
            var _ =
                    into.lookup(
                            LookupRequest.newBuilder()
                                    .setProjectId(SampleData.PROJECT)
                                    .setDatabaseId(database)
                                    .addKeys(entity.getKey())
                                    .setReadOptions(
                                            ReadOptions.newBuilder().setTransaction(transaction))
                                    .build());
            var _ =
                    into.commit(
                            CommitRequest.newBuilder()
                                    .setProjectId(SampleData.PROJECT)
                                    .setDatabaseId(database)
                                    .setMode(CommitRequest.Mode.TRANSACTIONAL)
                                    .setTransaction(transaction)
                                    .addMutations(Mutation.newBuilder().setUpsert(entity))
                                    .build());
        }
        return (System.nanoTime() - began) / 1e6 / count;
    }
}
