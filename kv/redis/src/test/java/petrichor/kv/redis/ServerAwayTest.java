package petrichor.kv.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Outages.whenBack;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.count;
import static petrichor.kv.testkit.Rows.failure;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.value;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.ErrorCode;
import petrichor.kv.DurableStep;
import petrichor.kv.DurableStep.Outcome;

/**
 * A server that stops, or is paused, and comes back. The short timeout applies only to calls that
 * are meant to fail: a store with a long timeout prepares the rows and checks them.
 */
@Timeout(300)
class ServerAwayTest {
    /** Longer than the test. */
    private static final long PAUSE_MS = 600_000;

    private static final String TIMEOUT = "?timeout=500ms";

    /** The maximum duration, on a busy machine, of a call with a timeout of half a second. */
    private static final Duration CALL_MAX = Duration.ofSeconds(30);

    private static RedisServer server;

    @BeforeAll
    static void startServer() {
        server = RedisServer.ofItsOwn();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static RedisStore patient(String name) {
        return RedisStore.open(server.store(name, "?timeout=" + RedisServer.PATIENT));
    }

    /** Its timeout is so short that a busy machine may exceed it when the store is opened. */
    private static RedisStore impatient(String name) {
        return whenBack(() -> RedisStore.open(server.store(name, TIMEOUT)));
    }

    @Test
    void callsFailInTimeWhileItIsDownAndSucceedWhenItIsBack() {
        try (RedisStore prepared = patient("down");
                RedisStore store = impatient("down")) {
            prepared.createTable(TABLE);
            prepared.write(put("a", "1"));
            assertThat(whenBack(() -> value(store, "a"))).isEqualTo("1");
            server.server().stop(1);
            for (int i = 0; i < 3; i++) {
                assertThat(unavailableInTime(() -> value(store, "a")))
                        .contains("redis://")
                        .contains("/down");
                unavailableInTime(() -> count(store));
                unavailableInTime(store::tables);
            }
            server.server().start(1);
            assertThat(whenBack(() -> value(store, "a"))).isEqualTo("1");
            assertThat(
                            whenBack(
                                    () -> {
                                        store.write(put("a", "2"));
                                        return value(store, "a");
                                    }))
                    .isEqualTo("2");
        }
    }

    @Test
    void commitWithoutAResponseIsUnknownAndLaterFenced() {
        try (RedisStore prepared = patient("still");
                RedisStore store = impatient("still")) {
            prepared.createTable(TABLE);
            var patient = (DurableStep.AtomicBatch) prepared.durableStep();
            var step = (DurableStep.AtomicBatch) store.durableStep();
            byte[] domain = {7};
            long fence = patient.takeFence(domain);
            assertThat(whenBack(() -> value(store, "a"))).isNull();
            server.server().pause(1);
            try {
                assertThat(step.commit(domain, fence, put("a", "1"))).isEqualTo(Outcome.UNKNOWN);
                // Without a connection, the request is never sent.
                unavailableInTime(() -> step.commit(domain, fence, put("a", "2")));
            } finally {
                server.server().resume(1);
            }
            long newer = patient.takeFence(domain);
            assertThat(patient.commit(domain, fence, put("a", "3"))).isEqualTo(Outcome.FENCED);
            assertThat(value(prepared, "a")).isIn(null, "1");
            assertThat(patient.commit(domain, newer, put("a", "4"))).isEqualTo(Outcome.DONE);
            assertThat(whenBack(() -> value(store, "a"))).isEqualTo("4");
        }
    }

    /** The restarted server has not been checked. */
    @Test
    void requestsPendingWhenTheServerDiedAreNotSentToItsSuccessor() throws Exception {
        try (RedisStore store = RedisStore.open(server.store("died", "?timeout=60s"))) {
            store.createTable(TABLE);
            var step = (DurableStep.AtomicBatch) store.durableStep();
            byte[] domain = {9};
            long fence = step.takeFence(domain);
            // It reads requests but does not respond.
            server.operator(redis -> redis.clientPause(PAUSE_MS));
            var commit = new FutureTask<>(() -> step.commit(domain, fence, put("a", "1")));
            awaitWaiting(Thread.ofPlatform().start(commit));
            server.server().kill(1);
            server.server().start(1);
            assertThat(commit.get()).isEqualTo(Outcome.UNKNOWN);
            assertThat(value(store, "a")).isNull();
        }
    }

    private static void awaitWaiting(Thread caller) {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (caller.getState() != Thread.State.TIMED_WAITING) {
            assertThat(System.nanoTime()).as("it waits for an answer").isLessThan(end);
            Thread.onSpinWait();
        }
    }

    @Test
    void manyThreadsWaitConcurrently() throws Exception {
        try (RedisStore prepared = patient("many");
                RedisStore store = impatient("many")) {
            prepared.createTable(TABLE);
            assertThat(whenBack(() -> value(store, "a"))).isNull();
            server.server().pause(1);
            try (ExecutorService threads = Executors.newFixedThreadPool(32)) {
                List<Callable<String>> calls = new ArrayList<>();
                for (int i = 0; i < 32; i++) {
                    calls.add(() -> unavailableInTime(() -> value(store, "a")));
                }
                for (Future<String> call : threads.invokeAll(calls)) {
                    call.get();
                }
            } finally {
                server.server().resume(1);
            }
            assertThat(whenBack(() -> value(store, "a"))).isNull();
        }
    }

    private static String unavailableInTime(ThrowingCallable call) {
        long started = System.nanoTime();
        String text = failure(ErrorCode.UNAVAILABLE, call);
        assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(CALL_MAX);
        return text;
    }
}
