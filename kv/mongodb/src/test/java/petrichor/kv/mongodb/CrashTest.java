package petrichor.kv.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Outages.whenBack;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.bytes;
import static petrichor.kv.testkit.Rows.count;
import static petrichor.kv.testkit.Rows.failure;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.value;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.DurableStep.Outcome;

/**
 * The server is killed while several threads write, stopped, and paused. The same store object
 * works again when the server is back, and every acknowledged row exists. A short timeout applies
 * only to calls that are meant to fail: a store with a long timeout prepares the rows and checks
 * them.
 */
@Timeout(300)
@Tag("slow")
class CrashTest {
    private static final int WRITERS = 4;
    private static final int ROUNDS = 3;

    /** Acknowledged writes of all writers before the kill. */
    private static final int WRITES_BEFORE_KILL = 60;

    /** Inserts that may miss the pause, because the driver notices it first. */
    private static final int INSERTS_MAX = 5;

    private static MongoServer server;

    @BeforeAll
    static void startServer() {
        server = MongoServer.ofItsOwn();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static MongoStore patient(String database) {
        return MongoStore.open(server.store(database, "&timeout=" + MongoServer.PATIENT));
    }

    /** With a timeout of one second, which a busy machine may exceed when the store is opened. */
    private static MongoStore impatient(String database) {
        return whenBack(() -> MongoStore.open(server.store(database, "&timeout=1s")));
    }

    @Test
    void killedServerLosesNoAcknowledgedRow() throws Exception {
        try (MongoStore store = patient("killed")) {
            store.createTable(TABLE);
            for (int round = 0; round < ROUNDS; round++) {
                CountDownLatch enough = new CountDownLatch(WRITES_BEFORE_KILL);
                AtomicBoolean killed = new AtomicBoolean();
                List<Future<Integer>> acknowledged = new ArrayList<>();
                try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
                    for (int writer = 0; writer < WRITERS; writer++) {
                        String name = "round " + round + " writer " + writer + " ";
                        acknowledged.add(
                                threads.submit(
                                        () -> writeUntilKilled(store, name, enough, killed)));
                    }
                    enough.await();
                    server.server().kill(1);
                    killed.set(true);
                    // Before the writers are joined: one of them may be waiting for the server.
                    server.server().start(1);
                }
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

    /** Returns the number of acknowledged writes: a slot, and a row that follows it. */
    private static int writeUntilKilled(
            MongoStore store, String name, CountDownLatch enough, AtomicBoolean killed) {
        var step = (DurableStep.ConditionalRow) store.durableStep();
        int written = 0;
        while (!killed.get()) {
            int next = written + 1;
            try {
                Outcome outcome =
                        step.putIfAbsent(
                                TABLE, bytes("slot " + name + next), bytes("value " + next));
                if (outcome == Outcome.UNKNOWN) {
                    return written;
                }
                assertThat(outcome).isEqualTo(Outcome.DONE);
                step.putIfNewer(put("row " + name + next, "value " + next), next);
                written = next;
                enough.countDown();
            } catch (PetrichorException unreachable) {
                assertThat(unreachable.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                return written;
            }
        }
        return written;
    }

    @Test
    void serverThatIsDownIsUnavailableWithItsAddressUntilItIsBack() {
        try (MongoStore prepared = patient("down")) {
            prepared.createTable(TABLE);
            prepared.write(put("a", "1"));
        }
        try (MongoStore store = impatient("down")) {
            assertThat(whenBack(() -> value(store, "a"))).isEqualTo("1");
            server.server().stop(1);
            try {
                assertThat(failure(ErrorCode.UNAVAILABLE, () -> value(store, "a")))
                        .contains("mongodb://")
                        .contains("/down");
                failure(ErrorCode.UNAVAILABLE, () -> store.write(put("a", "2")));
                failure(ErrorCode.UNAVAILABLE, store::tables);
                // No request was sent, so nothing can have been done.
                var step = (DurableStep.ConditionalRow) store.durableStep();
                failure(
                        ErrorCode.UNAVAILABLE,
                        () -> step.putIfAbsent(TABLE, bytes("slot"), bytes("1")));
            } finally {
                server.server().start(1);
            }
            assertThat(whenBack(() -> value(store, "a"))).isEqualTo("1");
        }
    }

    /** FerretDB is written by one change of a table at a time. */
    @Test
    void queuedChangesWaitNoLongerThanTheirTimeout() throws Exception {
        int changes = 16;
        try (MongoStore prepared = patient("queue")) {
            prepared.createTable(TABLE);
        }
        List<String> failures = new ArrayList<>();
        try (MongoStore store = impatient("queue")) {
            assertThat(whenBack(() -> count(store))).isZero();
            var step = (DurableStep.ConditionalRow) store.durableStep();
            server.server().pause(1);
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
                    failures.add(one.get());
                }
            } finally {
                server.server().resume(1);
            }
        }
        // The change in progress waits longer than the queued ones.
        assertThat(failures)
                .filteredOn(text -> text.contains("another change is pending"))
                .hasSizeGreaterThan(changes / 2);
    }

    @Test
    void insertWithoutAResponseIsUnknown() {
        try (MongoStore prepared = patient("still");
                MongoStore store = impatient("still")) {
            prepared.createTable(TABLE);
            byte[] key = insertIntoSilence(store);
            var step = (DurableStep.ConditionalRow) prepared.durableStep();
            assertThat(step.putIfAbsent(TABLE, key, bytes("2"))).isIn(Outcome.DONE, Outcome.FENCED);
            assertThat(whenBack(() -> value(store, "three"))).isNull();
            assertThat(step.putIfAbsent(TABLE, bytes("three"), bytes("2"))).isEqualTo(Outcome.DONE);
            assertThat(whenBack(() -> value(store, "three"))).isEqualTo("2");
        }
    }

    /**
     * Returns the key of an insert to which the paused server did not respond. If the driver
     * notices the pause before the insert is sent, the insert is UNAVAILABLE and another one is
     * tried.
     */
    private static byte[] insertIntoSilence(MongoStore store) {
        var step = (DurableStep.ConditionalRow) store.durableStep();
        for (int insert = 1; ; insert++) {
            byte[] key = bytes("insert " + insert);
            whenBack(() -> value(store, "one"));
            server.server().pause(1);
            try {
                assertThat(step.putIfAbsent(TABLE, key, bytes("1"))).isEqualTo(Outcome.UNKNOWN);
                return key;
            } catch (PetrichorException unreachable) {
                if (unreachable.code() != ErrorCode.UNAVAILABLE || insert == INSERTS_MAX) {
                    throw unreachable;
                }
            } finally {
                server.server().resume(1);
            }
        }
    }
}
