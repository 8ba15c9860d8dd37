package petrichor.testing.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.client.DatastoreClient;
import petrichor.entities.Consistency;
import petrichor.entities.EntityDatabase;
import petrichor.entities.EntityDatabases;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.testing.process.PetrichorServer;
import petrichor.transactions.Snapshot;
import petrichor.transactions.databases.RowDatabases;

/**
 * A data folder, the server processes started on it one after another, and sixteen writers that
 * record acknowledged commits.
 */
final class Trial implements AutoCloseable {
    private static final int WRITERS = 16;
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final Path data;
    private final Path log;
    private final String replay;
    private final List<Writer> writers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong acknowledged = new AtomicLong();
    private @Nullable PetrichorServer server;
    private @Nullable DatastoreClient client;

    Trial(Path data, Path log, long seed) {
        this.data = data;
        this.log = log;
        this.replay = "-Dseed=" + seed;
        for (int number = 0; number < WRITERS; number++) {
            writers.add(new Writer(number, seed));
        }
    }

    /** Number of acknowledged commits of all writers since the first start. */
    long acknowledged() {
        return acknowledged.get();
    }

    PetrichorServer server() {
        PetrichorServer now = server;
        if (now == null) {
            throw new IllegalStateException("no server runs");
        }
        return now;
    }

    DatastoreClient client() {
        DatastoreClient now = client;
        if (now == null) {
            throw new IllegalStateException("no server runs");
        }
        return now;
    }

    Duration start() {
        return start(Map.of());
    }

    /**
     * @param environment additional environment variables of the server
     */
    Duration start(Map<String, String> environment) {
        PetrichorServer started =
                PetrichorServer.start(List.of("--data", data.toString()), environment, log);
        server = started;
        client = DatastoreClient.open("localhost", started.port());
        return started.startup();
    }

    void openAccounts() {
        CommitRequest.Builder request =
                CommitRequest.newBuilder()
                        .setProjectId(Rows.PROJECT)
                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
        for (int account = 0; account < Writer.ACCOUNTS; account++) {
            request.addMutations(
                    Rows.upsert(
                            Writer.account(account), Map.of("balance", Writer.OPENING_BALANCE)));
        }
        client().commit(request.build());
    }

    void startWriting() {
        DatastoreClient to = client();
        for (Writer writer : writers) {
            threads.add(Thread.ofVirtual().start(() -> writer.run(to, acknowledged)));
        }
    }

    /** Returns when this many further commits were acknowledged. */
    void awaitAcknowledged(long more) {
        long until = acknowledged.get() + more;
        await("more commits", () -> acknowledged.get() >= until);
    }

    /** Lets the writers run for this time. */
    void writeFor(Duration life) {
        long until = System.nanoTime() + life.toNanos();
        await("the end of a life", () -> System.nanoTime() - until >= 0);
    }

    /** Returns the failures when every writer has received one. */
    List<PetrichorException> awaitFailures() {
        await("failures", () -> writers.stream().allMatch(one -> one.stoppedBy() != null));
        endWriting();
        return writers.stream().flatMap(writer -> Stream.ofNullable(writer.stoppedBy())).toList();
    }

    /** Waits for a condition; fails if it does not become true in time. */
    void await(String what, BooleanSupplier happened) {
        long started = System.nanoTime();
        while (!happened.getAsBoolean()) {
            if (System.nanoTime() - started > TIMEOUT.toNanos()) {
                throw new AssertionError(what + " did not happen within " + TIMEOUT);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    /** Sends SIGKILL at an arbitrary time. */
    void kill() {
        server().kill();
        endWriting();
        client().close();
        server = null;
        client = null;
    }

    private void endWriting() {
        threads.forEach(Trial::join);
        threads.clear();
    }

    static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    // ---- what must be true

    /** Every acknowledged step is complete, and no step is partial. */
    void checkThroughTheServer() {
        DatastoreClient from = client();
        List<Entity> everything = new ArrayList<>();
        for (Writer writer : writers) {
            long step = stepOf(writer, from);
            long told = writer.acknowledged();
            assertThat(step)
                    .as(
                            "writer %d: step %d is acknowledged, the server has %d; %s",
                            writer.number(), told, step, replay)
                    .isBetween(told, told + 1);
            List<Entity> expected = writer.itemsAfter(step);
            assertThat(Rows.query(from, "Item", "client", writer.number()))
                    .as("items of writer %d after step %d; %s", writer.number(), step, replay)
                    .containsExactlyInAnyOrderElementsOf(expected);
            assertThat(Rows.lookup(from, expected.stream().map(Entity::getKey).toList()).values())
                    .as("lookups of writer %d after step %d; %s", writer.number(), step, replay)
                    .containsExactlyInAnyOrderElementsOf(expected);
            everything.addAll(expected);
            writer.goOnAfter(step);
        }
        for (long bucket = 0; bucket < Writer.BUCKETS; bucket++) {
            long wanted = bucket;
            assertThat(Rows.query(from, "Item", "bucket", bucket))
                    .as("items in bucket %d; %s", bucket, replay)
                    .containsExactlyInAnyOrderElementsOf(
                            everything.stream()
                                    .filter(item -> Rows.number(item, "bucket") == wanted)
                                    .toList());
        }
        assertThat(
                        Rows.query(from, "Account").stream()
                                .mapToLong(account -> Rows.number(account, "balance"))
                                .sum())
                .as("the sum of all accounts; %s", replay)
                .isEqualTo(Writer.ACCOUNTS * Writer.OPENING_BALANCE);
    }

    private long stepOf(Writer writer, DatastoreClient from) {
        List<Key> keys = List.of(writer.left(), writer.right());
        Map<String, Entity> sides = Rows.lookup(from, keys);
        if (sides.isEmpty()) {
            return 0;
        }
        assertThat(sides)
                .as("both sides of writer %d; %s", writer.number(), replay)
                .hasSize(keys.size());
        List<Long> steps =
                sides.values().stream().map(side -> Rows.number(side, "step")).distinct().toList();
        assertThat(steps).as("both sides of writer %d; %s", writer.number(), replay).hasSize(1);
        return steps.getFirst();
    }

    /**
     * Index rows match the entities; checked in a copy of the killed server's folder, so that the
     * original is not changed.
     */
    void checkIndexesOfACopy(Path copy) {
        copyData(copy);
        try (RocksStore store = RocksStore.open(copy);
                RowDatabases databases = new RowDatabases(store)) {
            EntityDatabase database = new EntityDatabases(databases).open(Rows.PROJECT, "");
            try (Snapshot snapshot = database.rows().snapshot()) {
                Consistency.Report report = Consistency.check(database, snapshot, 10);
                assertThat(report.differences()).as("indexes; %s", replay).isEmpty();
                assertThat(report.entities()).isGreaterThanOrEqualTo(Writer.ACCOUNTS);
                assertThat(report.indexRows()).isGreaterThan(report.entities());
            }
        }
        deleteFolder(copy);
    }

    private void copyData(Path copy) {
        try (Stream<Path> files = Files.walk(data)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.copy(file, copy.resolve(data.relativize(file).toString()));
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static void deleteFolder(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void close() {
        if (server != null) {
            kill();
        }
    }
}
