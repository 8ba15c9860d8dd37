package petrichor.kv.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.bytes;
import static petrichor.kv.testkit.Rows.failure;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.step;
import static petrichor.kv.testkit.Rows.value;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep.Outcome;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.WriteBatch;

/** A separate server that is stopped, killed and started; the store object stays the same. */
@Tag("slow")
class CrashTest {
    private static final int WRITERS = 4;
    private static final int ROWS_BEFORE_KILL = 200;

    /** The maximum duration, on a busy machine, of a call that waits three times three seconds. */
    private static final Duration CALL_MAX = Duration.ofSeconds(25);

    private static final Duration COMES_BACK_MAX = Duration.ofSeconds(60);

    @Test
    void killedServerLosesNoAcknowledgedWriteAndTheSameStoreContinues() throws Exception {
        try (CassandraServer server = CassandraServer.ofItsOwn(1);
                KeyValueStore store = new CassandraPlugin().open(server.newStore())) {
            store.createTable(TABLE);
            CountDownLatch enough = new CountDownLatch(ROWS_BEFORE_KILL);
            List<Future<Integer>> acknowledged = new ArrayList<>();
            try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
                for (int writer = 0; writer < WRITERS; writer++) {
                    String name = "writer " + writer + " row ";
                    boolean conditional = writer % 2 == 0;
                    acknowledged.add(
                            threads.submit(() -> untilKilled(store, name, conditional, enough)));
                }
                enough.await();
                server.server().kill(1);
            }
            assertThat(store.retries()).as("writes under way at the kill").isPositive();
            assertThat(failure(ErrorCode.UNAVAILABLE, () -> value(store, "a")))
                    .contains("cassandra://");
            server.server().start(1);
            awaitBack(store);
            for (int writer = 0; writer < WRITERS; writer++) {
                for (int row = 0; row < acknowledged.get(writer).get(); row++) {
                    assertThat(value(store, "writer " + writer + " row " + row)).isEqualTo("v");
                }
            }
            store.write(put("after", "1"));
            assertThat(value(store, "after")).isEqualTo("1");
        }
    }

    /** Returns the number of acknowledged rows. */
    private static int untilKilled(
            KeyValueStore store, String name, boolean conditional, CountDownLatch enough) {
        for (int row = 0; ; row++) {
            byte[] key = bytes(name + row);
            try {
                if (conditional) {
                    Outcome outcome = step(store).putIfAbsent(TABLE, key, bytes("v"));
                    if (outcome == Outcome.UNKNOWN) {
                        return row;
                    }
                    assertThat(outcome).isEqualTo(Outcome.DONE);
                } else {
                    step(store).putIfNewer(new WriteBatch().put(TABLE, key, bytes("v")), row + 1L);
                }
                enough.countDown();
            } catch (PetrichorException unreachable) {
                assertThat(unreachable.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                return row;
            }
        }
    }

    @Test
    void anAppendToAnUnresponsiveServerIsUnknown() throws Exception {
        try (CassandraServer server = CassandraServer.ofItsOwn(1)) {
            StoreUrl url = StoreUrl.parse(server.url() + "?timeout=3s");
            // The first time creates tables, which takes longer.
            new CassandraPlugin().open(server.keyspace("petrichor")).close();
            try (KeyValueStore store = new CassandraPlugin().open(url)) {
                store.createTable(TABLE);
                store.write(put("a", "1"));
                server.server().pause(1);
                try {
                    long started = System.nanoTime();
                    assertThat(step(store).putIfAbsent(TABLE, bytes("slot"), bytes("1")))
                            .isEqualTo(Outcome.UNKNOWN);
                    failure(ErrorCode.UNAVAILABLE, () -> value(store, "a"));
                    failure(ErrorCode.UNAVAILABLE, () -> store.write(put("a", "2")));
                    assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(CALL_MAX);
                } finally {
                    server.server().resume(1);
                }
                awaitBack(store);
                assertThat(value(store, "a")).isIn("1", "2");
            }
        }
    }

    private static void awaitBack(KeyValueStore store) throws InterruptedException {
        long end = System.nanoTime() + COMES_BACK_MAX.toNanos();
        while (true) {
            try {
                value(store, "a");
                return;
            } catch (PetrichorException notYet) {
                assertThat(notYet.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                assertThat(System.nanoTime()).as("time until it is back").isLessThan(end);
                Thread.sleep(50);
            }
        }
    }
}
