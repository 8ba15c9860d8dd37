package petrichor.kv.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.bytes;
import static petrichor.kv.testkit.Rows.failure;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.value;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.DurableStep.Outcome;

/**
 * The server is killed while several threads write, stopped, and paused; the same store object goes
 * on when it is back, and what was acknowledged is there.
 */
class CrashTest {
    private static final int WRITERS = 4;
    private static final int ROUNDS = 3;

    /** Acknowledged by all writers before the kill. */
    private static final int WRITES_BEFORE_KILL = 60;

    private static MongoServer server;

    @BeforeAll
    static void startServer() {
        server = MongoServer.ofItsOwn();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void killedServerLosesNoAcknowledgedRow() throws Exception {
        try (MongoStore store = MongoStore.open(server.store("killed", "&timeout=2s"))) {
            store.createTable(TABLE);
            for (int round = 0; round < ROUNDS; round++) {
                CountDownLatch enough = new CountDownLatch(WRITES_BEFORE_KILL);
                List<Future<Integer>> acknowledged = new ArrayList<>();
                try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
                    for (int writer = 0; writer < WRITERS; writer++) {
                        String name = "round " + round + " writer " + writer + " ";
                        acknowledged.add(
                                threads.submit(() -> writeUntilKilled(store, name, enough)));
                    }
                    enough.await();
                    server.server().kill(1);
                }
                server.server().start(1);
                for (int writer = 0; writer < WRITERS; writer++) {
                    String name = "round " + round + " writer " + writer + " ";
                    int said = acknowledged.get(writer).get();
                    for (int i = 1; i <= said; i++) {
                        assertThat(value(store, "slot " + name + i)).isEqualTo("value " + i);
                        assertThat(value(store, "row " + name + i)).isEqualTo("value " + i);
                    }
                }
            }
        }
    }

    /** Returns how many were acknowledged: a slot, and a row that follows it. */
    private static int writeUntilKilled(MongoStore store, String name, CountDownLatch enough) {
        var step = (DurableStep.ConditionalRow) store.durableStep();
        for (int i = 1; ; i++) {
            try {
                Outcome outcome =
                        step.putIfAbsent(TABLE, bytes("slot " + name + i), bytes("value " + i));
                if (outcome == Outcome.UNKNOWN) {
                    return i - 1;
                }
                assertThat(outcome).isEqualTo(Outcome.DONE);
                step.putIfNewer(put("row " + name + i, "value " + i), i);
                enough.countDown();
            } catch (PetrichorException away) {
                assertThat(away.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                return i - 1;
            }
        }
    }

    @Test
    void serverThatIsDownIsUnavailableWithItsAddressUntilItIsBack() {
        try (MongoStore store = MongoStore.open(server.store("down", "&timeout=1s"))) {
            store.createTable(TABLE);
            store.write(put("a", "1"));
            server.server().stop(1);
            try {
                assertThat(failure(ErrorCode.UNAVAILABLE, () -> value(store, "a")))
                        .contains("mongodb://")
                        .contains("/down");
                failure(ErrorCode.UNAVAILABLE, () -> store.write(put("a", "2")));
                failure(ErrorCode.UNAVAILABLE, store::tables);
                // Nobody was asked, so nothing can have been done.
                var step = (DurableStep.ConditionalRow) store.durableStep();
                failure(
                        ErrorCode.UNAVAILABLE,
                        () -> step.putIfAbsent(TABLE, bytes("slot"), bytes("1")));
            } finally {
                server.server().start(1);
            }
            assertThat(value(store, "a")).isEqualTo("1");
        }
    }

    /** A FerretDB is written to by one change of a table at a time. */
    @Test
    void changesThatWaitForOneAnotherWaitNoLongerThanTheirTimeout() throws Exception {
        int changes = 16;
        Duration longest = Duration.ofSeconds(8);
        try (MongoStore store = MongoStore.open(server.store("queue", "&timeout=1s"))) {
            store.createTable(TABLE);
            var step = (DurableStep.ConditionalRow) store.durableStep();
            step.putIfNewer(put("a", "1"), 1);
            server.server().pause(1);
            long begun = System.nanoTime();
            try (ExecutorService threads = Executors.newFixedThreadPool(changes)) {
                List<Future<String>> waiting = new ArrayList<>();
                for (int i = 0; i < changes; i++) {
                    waiting.add(
                            threads.submit(
                                    () ->
                                            failure(
                                                    ErrorCode.UNAVAILABLE,
                                                    () -> step.putIfNewer(put("a", "2"), 2))));
                }
                for (Future<String> one : waiting) {
                    one.get();
                }
            } finally {
                server.server().resume(1);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(longest);
        }
    }

    @Test
    void insertThatIsNotAnsweredIsUnknown() {
        try (MongoStore store = MongoStore.open(server.store("still", "&timeout=1s"))) {
            store.createTable(TABLE);
            var step = (DurableStep.ConditionalRow) store.durableStep();
            assertThat(step.putIfAbsent(TABLE, bytes("one"), bytes("1"))).isEqualTo(Outcome.DONE);
            server.server().pause(1);
            try {
                assertThat(step.putIfAbsent(TABLE, bytes("two"), bytes("1")))
                        .isEqualTo(Outcome.UNKNOWN);
            } finally {
                server.server().resume(1);
            }
            assertThat(step.putIfAbsent(TABLE, bytes("two"), bytes("2")))
                    .isIn(Outcome.DONE, Outcome.FENCED);
            assertThat(step.putIfAbsent(TABLE, bytes("three"), bytes("2"))).isEqualTo(Outcome.DONE);
        }
    }
}
