package petrichor.kv.hbase;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.kv.testkit.Outages.whenBack;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.DurableStep.Outcome;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;
import petrichor.kv.testkit.RealStore;

/** HBase becomes unreachable in various ways, and comes back; the store object stays the same. */
@Tag("slow")
class UnreachableTest {
    private static final String TABLE = "rows";
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final int WRITERS = 4;
    private static final int WRITES_BEFORE_KILL = 400;

    /**
     * Allowance for a busy machine in addition to a timeout, including class loading of the driver.
     */
    private static final Duration LATE = Duration.ofSeconds(60);

    private static void assertAway(ThrowingCallable call, String address) {
        long began = System.nanoTime();
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> {
                            assertThat(e.code())
                                    .as(e.getMessage())
                                    .isEqualTo(ErrorCode.UNAVAILABLE);
                            assertThat(e.getMessage()).contains(address).doesNotContain("\n");
                        });
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(TIMEOUT.plus(LATE));
    }

    private static String withTimeout(String url) {
        return url + "?timeout=" + TIMEOUT.toMillis() + "ms";
    }

    @Test
    void addressWithoutAServerIsUnavailableWithinTheTimeout() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        String url = "hbase://127.0.0.1:" + port + "/petrichor";
        assertAway(() -> TestHBase.open(withTimeout(url)), url);
    }

    /** Uses a server of its own: HBase ends itself after a pause longer than its session. */
    @Test
    void pausedServerIsUnavailableInTimeAndBackWhenItResumes() {
        try (RealStore server = RealStore.start(new HBaseDeployment(), 1)) {
            pauseAndResume(server, TestHBase.newUrl(server));
        }
    }

    private static void pauseAndResume(RealStore server, String url) {
        try (KeyValueStore prepared = TestHBase.open(url);
                KeyValueStore store = whenBack(() -> TestHBase.open(withTimeout(url)))) {
            prepared.createTable(TABLE);
            prepared.write(put("a", 1));
            assertThat(whenBack(() -> store.get(TABLE, bytes("a")))).isEqualTo(bytes("1"));
            server.pause(1);
            try {
                assertAway(() -> store.get(TABLE, bytes("a")), url);
                assertAway(() -> store.get(TABLE, List.of(bytes("a"))), url);
                assertAway(() -> store.write(put("b", 1)), url);
                assertAway(() -> count(store, ""), url);
                var step = (DurableStep.ConditionalRow) store.durableStep();
                assertThat(step.putIfAbsent(TABLE, bytes("slot"), bytes("1")))
                        .isEqualTo(Outcome.UNKNOWN);
            } finally {
                server.resume(1);
            }
            assertThat(store.retries()).as("calls that had no answer").isPositive();
            // The server first responds to the requests that arrived during the pause.
            assertThat(whenBack(() -> store.get(TABLE, bytes("a")))).isEqualTo(bytes("1"));
            prepared.write(put("c", 1));
            assertThat(whenBack(() -> store.get(TABLE, bytes("c")))).isEqualTo(bytes("1"));
        }
    }

    @Test
    @Tag("slow")
    void killedServerLosesNoAcknowledgedWrite() throws Exception {
        try (RealStore server = RealStore.start(new HBaseDeployment(), 1);
                KeyValueStore store = TestHBase.open(withTimeout(TestHBase.newUrl(server)))) {
            store.createTable(TABLE);
            CountDownLatch enough = new CountDownLatch(WRITES_BEFORE_KILL);
            List<Callable<Integer>> writers = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                String name = "writer " + writer + " ";
                boolean appends = writer % 2 == 0;
                writers.add(() -> writeUntilKilled(store, name, appends, enough));
            }
            List<Future<Integer>> acknowledged = new ArrayList<>();
            try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
                writers.forEach(writer -> acknowledged.add(threads.submit(writer)));
                enough.await();
                server.kill(1);
            }
            assertAway(() -> store.get(TABLE, bytes("writer 0 1")), server.url());
            server.start(1);
            for (int writer = 0; writer < WRITERS; writer++) {
                int said = acknowledged.get(writer).get();
                assertThat(count(store, "writer " + writer + " "))
                        .as("writer " + writer + ": acknowledged writes, and at most one more")
                        .isBetween(said, said + 1);
            }
            store.write(put("after", 1));
        }
    }

    private static int writeUntilKilled(
            KeyValueStore store, String name, boolean appends, CountDownLatch enough) {
        var step = (DurableStep.ConditionalRow) store.durableStep();
        for (int written = 0; ; written++) {
            String key = name + written;
            try {
                if (appends) {
                    Outcome outcome = step.putIfAbsent(TABLE, bytes(key), bytes("v"));
                    if (outcome == Outcome.UNKNOWN) {
                        return written;
                    }
                    assertThat(outcome).isEqualTo(Outcome.DONE);
                } else {
                    step.putIfNewer(put(key, written), written);
                }
                enough.countDown();
            } catch (PetrichorException unreachable) {
                assertThat(unreachable.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                return written;
            }
        }
    }

    private static int count(KeyValueStore store, String prefix) {
        int rows = 0;
        KeyRange range = KeyRange.ofPrefix(bytes(prefix));
        try (Scan scan = store.scan(TABLE, range, Direction.FORWARD, Integer.MAX_VALUE)) {
            while (scan.next()) {
                rows++;
            }
        }
        return rows;
    }

    private static WriteBatch put(String key, int value) {
        return new WriteBatch().put(TABLE, bytes(key), bytes("" + value));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
