package petrichor.kv.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.jdbc.SqlStoreCases.assertFails;
import static petrichor.kv.jdbc.SqlStoreCases.bytes;
import static petrichor.kv.jdbc.SqlStoreCases.open;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.deployment.Node;
import petrichor.kv.DurableStep;
import petrichor.kv.DurableStep.Outcome;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.WriteBatch;
import petrichor.kv.testkit.RealStore;

/** Three nodes: acknowledged writes are visible on all of them, and any one of them may fail. */
@Tag("slow")
class GaleraTest {
    private static final String TABLE = "rows";
    private static final byte[] DOMAIN = bytes("db");
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private static RealStore cluster;

    @BeforeAll
    static void start() {
        cluster = RealStore.start(new MariaDbDeployment(), 3);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    /** The address with all nodes. */
    private static StoreUrl url(String name) {
        return StoreUrl.parse(cluster.url() + name + "?connections=8&timeout=3s");
    }

    /** The address of one node. */
    private static StoreUrl url(int number, String name) {
        Node node = cluster.cluster().nodes().get(number - 1);
        return StoreUrl.parse(
                "mariadb://petrichor:%s@%s:%d/petrichor%s?connections=8&timeout=3s"
                        .formatted(
                                cluster.cluster().secret(),
                                node.address(),
                                node.port("client"),
                                name));
    }

    private static DurableStep.AtomicBatch step(KeyValueStore store) {
        return (DurableStep.AtomicBatch) store.durableStep();
    }

    private static WriteBatch put(String key, int number) {
        byte[] value = ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
        return new WriteBatch().put(TABLE, bytes(key), value);
    }

    private static int number(KeyValueStore store, String key) {
        byte[] value = store.get(TABLE, bytes(key));
        return value == null ? 0 : ByteBuffer.wrap(value).getInt();
    }

    @Test
    void acknowledgedCommitIsReadFromEveryNodeImmediately() {
        try (KeyValueStore one = open(url(1, "reads"));
                KeyValueStore other = open(url(2, "reads"))) {
            one.createTable(TABLE);
            long fence = step(one).takeFence(DOMAIN);
            for (int i = 1; i <= 300; i++) {
                assertThat(step(one).commit(DOMAIN, fence, put("a", i))).isEqualTo(Outcome.DONE);
                assertThat(number(other, "a")).isEqualTo(i);
            }
        }
    }

    @Test
    void fenceTakenOnOneNodeStopsTheOwnerOnAnother() throws Exception {
        try (KeyValueStore one = open(url(1, "fences"));
                KeyValueStore other = open(url(2, "fences"))) {
            one.createTable(TABLE);
            for (int round = 0; round < 8; round++) {
                long older = step(one).takeFence(DOMAIN);
                String key = "round " + round;
                AtomicInteger done = new AtomicInteger();
                try (ExecutorService zombie = Executors.newSingleThreadExecutor()) {
                    Future<Outcome> last =
                            zombie.submit(
                                    () -> {
                                        Outcome outcome;
                                        do {
                                            outcome =
                                                    step(one)
                                                            .commit(
                                                                    DOMAIN,
                                                                    older,
                                                                    put(key, done.get() + 1));
                                        } while (outcome == Outcome.DONE
                                                && done.incrementAndGet() > 0);
                                        return outcome;
                                    });
                    while (done.get() < 10 && !last.isDone()) {
                        Thread.onSpinWait();
                    }
                    // Keeps the first node busy, so that it learns of the new fence late.
                    other.write(bulk(round));
                    step(other).takeFence(DOMAIN);
                    int seen = number(other, key);
                    assertThat(last.get()).isEqualTo(Outcome.FENCED);
                    assertThat(number(other, key)).isEqualTo(seen).isEqualTo(done.get());
                }
            }
        }
    }

    private static WriteBatch bulk(int round) {
        WriteBatch batch = new WriteBatch();
        for (int i = 0; i < 20_000; i++) {
            batch.put(TABLE, bytes("bulk " + i), bytes("round " + round));
        }
        return batch;
    }

    @Test
    void writersOfTheSameRowOnTwoNodesBothSucceed() throws Exception {
        try (KeyValueStore one = open(url(1, "conflicts"));
                KeyValueStore other = open(url(2, "conflicts"));
                ExecutorService threads = Executors.newFixedThreadPool(2)) {
            one.createTable(TABLE);
            Future<?> first = threads.submit(() -> writeOften(one));
            Future<?> second = threads.submit(() -> writeOften(other));
            first.get();
            second.get();
            assertThat(number(one, "hot")).isEqualTo(200);
        }
    }

    private static void writeOften(KeyValueStore store) {
        for (int i = 1; i <= 200; i++) {
            store.write(put("hot", i));
        }
    }

    @Test
    void clientsLeaveALostNodeAndItReturnsWithAllRows() throws Exception {
        try (KeyValueStore store = open(url("lost"))) {
            store.createTable(TABLE);
            long fence = step(store).takeFence(DOMAIN);
            AtomicBoolean stop = new AtomicBoolean();
            AtomicInteger done = new AtomicInteger();
            try (ExecutorService writer = Executors.newSingleThreadExecutor()) {
                Future<?> writing = writer.submit(() -> commitOn(store, fence, stop, done));
                awaitMore(done, 50);
                cluster.kill(1);
                awaitMore(done, 50);
                cluster.start(1);
                awaitMore(done, 50);
                stop.set(true);
                writing.get();
            }
            try (KeyValueStore returned = open(url(1, "lost"))) {
                assertThat(number(returned, "a")).isGreaterThanOrEqualTo(done.get());
            }
        }
    }

    /** Continues after any failure, and counts acknowledged writes. */
    private static void commitOn(
            KeyValueStore store, long fence, AtomicBoolean stop, AtomicInteger done) {
        int next = 1;
        while (!stop.get()) {
            try {
                if (step(store).commit(DOMAIN, fence, put("a", next)) == Outcome.DONE) {
                    done.set(next);
                    next++;
                }
            } catch (PetrichorException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE);
            }
        }
    }

    private static void awaitMore(AtomicInteger done, int more) {
        int wanted = done.get() + more;
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (done.get() < wanted) {
            assertThat(System.nanoTime()).as("commits go on").isLessThan(end);
            Thread.onSpinWait();
        }
    }

    @Test
    void isolatedNodeIsUnavailable() {
        try (KeyValueStore alone = open(url(3, "alone"))) {
            alone.createTable(TABLE);
            alone.write(put("a", 1));
            cluster.kill(1);
            cluster.kill(2);
            try {
                assertFails(ErrorCode.UNAVAILABLE, () -> number(alone, "a"));
            } finally {
                cluster.kill(3);
                restartAll();
            }
            assertThat(number(alone, "a")).isEqualTo(1);
        }
    }

    private static void restartAll() {
        for (int node = 1; node <= 3; node++) {
            cluster.start(node);
        }
    }

    @Test
    void stoppedClusterRestartsFromTheMostRecentNode() {
        try (KeyValueStore store = open(url(2, "all"))) {
            store.createTable(TABLE);
            store.write(put("a", 1));
            cluster.kill(1);
            for (int i = 2; i <= 100; i++) {
                writeUntilTaken(store, i);
            }
            cluster.kill(3);
            cluster.kill(2);
            restartAll();
            assertThat(number(store, "a")).isEqualTo(100);
            for (int node = 1; node <= 3; node++) {
                try (KeyValueStore one = open(url(node, "all"))) {
                    assertThat(number(one, "a")).isEqualTo(100);
                }
            }
        }
    }

    /** The others need a moment to agree that a node is lost. */
    private static void writeUntilTaken(KeyValueStore store, int number) {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (true) {
            try {
                store.write(put("a", number));
                return;
            } catch (PetrichorException e) {
                assertThat(System.nanoTime()).as(e.getMessage()).isLessThan(end);
            }
        }
    }
}
