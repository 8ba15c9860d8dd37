package petrichor.bench;

import com.google.datastore.v1.Entity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.transactions.Databases;
import petrichor.transactions.databases.RowDatabases;

/**
 * Puts of one entity by an increasing number of clients, compared with a bare committer thread that
 * writes the same rows. Both run in this process: this measures a commit up to its durability,
 * without the network.
 */
final class DurableCommits {
    private static final int ENTITIES = 20_000;
    private static final int CAPTURED = 2_000;
    private static final double TARGET = 0.8;
    private static final List<Integer> CLIENTS = List.of(1, 8, 64, 256);

    private DurableCommits() {}

    static void measure(Report report, int rounds, Duration length, Progress progress)
            throws Exception {
        try (TemporaryFolder folder = new TemporaryFolder()) {
            progress.say("writing down what a commit writes");
            List<List<WriteBatch.Op>> commits = capture(folder);
            AtomicLong syncs = new AtomicLong();
            try (KeyValueStore store =
                            new WatchedStore(
                                    RocksStore.open(folder.path("ours")),
                                    _ -> syncs.incrementAndGet());
                    Databases databases = new RowDatabases(store);
                    BareCommitter bare = new BareCommitter(folder.path("bare"), tables(commits))) {
                Datastore ours = new Datastore(databases, TimeSource.SYSTEM);
                load(ours);
                double before = 0;
                for (int clients : CLIENTS) {
                    long[] counted = new long[2];
                    Contest.Outcome outcome =
                            new Contest(
                                            "durable commits, " + clients + " clients",
                                            "petrichor",
                                            List.of(
                                                    new Contender(
                                                            "bare committer",
                                                            l -> runBare(bare, commits, clients, l),
                                                            Contender::ownCpu),
                                                    new Contender(
                                                            "petrichor",
                                                            l -> {
                                                                long syncsBefore = syncs.get();
                                                                Sample sample =
                                                                        runOurs(ours, clients, l);
                                                                counted[0] +=
                                                                        syncs.get() - syncsBefore;
                                                                counted[1] +=
                                                                        Math.round(
                                                                                sample.perSecond()
                                                                                        * l
                                                                                                .toNanos()
                                                                                        / 1e9);
                                                                return sample;
                                                            },
                                                            Contender::ownCpu)),
                                            Map.of("bare committer", TARGET))
                                    .run(rounds, length, progress);
                    report.add(outcome);
                    double perSync = (double) counted[1] / counted[0];
                    report.add(
                            new Report.Figure(
                                    "transactions per sync, " + clients + " clients",
                                    perSync,
                                    "",
                                    clients == 1 ? "at least 1 (0.99)" : "grows with clients",
                                    clients == 1 ? perSync >= 0.99 : perSync > before));
                    before = perSync;
                }
            }
        }
    }

    /** The rows that puts of one entity write, step by step. */
    static List<List<WriteBatch.Op>> capture(TemporaryFolder folder) throws Exception {
        List<List<WriteBatch.Op>> commits = new CopyOnWriteArrayList<>();
        try (KeyValueStore store =
                        new WatchedStore(
                                RocksStore.open(folder.path("captured")),
                                batch -> {
                                    // Housekeeping writes too; only puts and deletes are commits.
                                    if (batch.ops().stream()
                                            .noneMatch(WriteBatch.DeleteRange.class::isInstance)) {
                                        commits.add(List.copyOf(batch.ops()));
                                    }
                                });
                Databases databases = new RowDatabases(store)) {
            Datastore datastore = new Datastore(databases, TimeSource.SYSTEM);
            load(datastore);
            commits.clear();
            for (int i = 0; i < CAPTURED; i++) {
                datastore.commit(SampleData.upserts(List.of(SampleData.entity(i, 1)))).get();
            }
            return List.copyOf(commits);
        }
    }

    private static void load(Datastore datastore) throws Exception {
        int batchSize = 200;
        for (int from = 0; from < ENTITIES; from += batchSize) {
            List<Entity> batch = new ArrayList<>(batchSize);
            for (int n = from; n < from + batchSize; n++) {
                batch.add(SampleData.entity(n, 0));
            }
            datastore.commit(SampleData.upserts(batch)).get();
        }
    }

    static List<String> tables(List<List<WriteBatch.Op>> commits) {
        TreeSet<String> tables = new TreeSet<>();
        commits.forEach(ops -> ops.forEach(op -> tables.add(op.table())));
        return List.copyOf(tables);
    }

    private static Sample runOurs(Datastore datastore, int clients, Duration length)
            throws Exception {
        SplittableRandom[] random = random(clients);
        return ClosedLoop.run(
                clients,
                length,
                (client, number) ->
                        datastore
                                .commit(
                                        SampleData.upserts(
                                                List.of(
                                                        SampleData.entity(
                                                                random[client].nextLong(ENTITIES),
                                                                number))))
                                .get());
    }

    private static Sample runBare(
            BareCommitter bare, List<List<WriteBatch.Op>> commits, int clients, Duration length)
            throws Exception {
        SplittableRandom[] random = random(clients);
        return ClosedLoop.run(
                clients,
                length,
                (client, number) -> {
                    // The ceiling builds the same request, so that only the commit differs.
                    if (SampleData.upserts(
                                            List.of(
                                                    SampleData.entity(
                                                            random[client].nextLong(ENTITIES),
                                                            number)))
                                    .getMutationsCount()
                            != 1) {
                        throw new IllegalStateException("a request without a mutation");
                    }
                    bare.commit(commits.get(random[client].nextInt(commits.size())));
                });
    }

    private static SplittableRandom[] random(int clients) {
        SplittableRandom[] random = new SplittableRandom[clients];
        for (int i = 0; i < clients; i++) {
            random[i] = new SplittableRandom(i);
        }
        return random;
    }
}
