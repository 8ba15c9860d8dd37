package petrichor.kv.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.bytes;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.DurableStep.Outcome;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;

/**
 * Kills the server while several threads commit, starts it again, and verifies through the same
 * store object: every acknowledged commit is complete, and every other one complete or absent.
 */
class CrashTest {
    private static final int WRITERS = 4;

    /** Acknowledged commits of all writers before the kill. */
    private static final int COMMITS_BEFORE_KILL = 200;

    private static RedisServer server;

    @BeforeAll
    static void startServer() {
        server = RedisServer.ofItsOwn();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void killedServerLosesNoAcknowledgedCommitAndTearsNone() throws Exception {
        killAndCheck(3);
    }

    @Test
    @Tag("slow")
    void serverKilledThirtyTimesLosesNoAcknowledgedCommitAndTearsNone() throws Exception {
        killAndCheck(30);
    }

    private static void killAndCheck(int rounds) throws Exception {
        try (RedisStore store = server.open()) {
            store.createTable("left");
            store.createTable("right");
            int[] last = new int[WRITERS];
            for (int round = 0; round < rounds; round++) {
                CountDownLatch enough = new CountDownLatch(COMMITS_BEFORE_KILL);
                AtomicInteger ended = new AtomicInteger();
                List<Callable<Integer>> writers = new ArrayList<>();
                for (int writer = 0; writer < WRITERS; writer++) {
                    byte number = (byte) writer;
                    int first = last[writer] + 1;
                    writers.add(
                            () -> {
                                try {
                                    return commitUntilKilled(store, number, first, enough);
                                } finally {
                                    ended.incrementAndGet();
                                }
                            });
                }
                List<Future<Integer>> acknowledged = new ArrayList<>();
                try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
                    writers.forEach(writer -> acknowledged.add(threads.submit(writer)));
                    enough.await();
                    server.server().kill(1);
                }
                server.server().start(1);
                for (int writer = 0; writer < WRITERS; writer++) {
                    String about = "round " + round + ", writer " + writer;
                    int said = acknowledged.get(writer).get();
                    last[writer] = lastCommit(store, "left", writer);
                    assertThat(last[writer])
                            .as(about + ": acknowledged commits, and at most one in progress")
                            .isBetween(said, said + 1);
                    assertThat(lastCommit(store, "right", writer))
                            .as(about + ": both rows of a commit or none")
                            .isEqualTo(last[writer]);
                }
                assertThat(ended).hasValue(WRITERS);
            }
        }
    }

    /** Returns the last acknowledged commit. */
    private static int commitUntilKilled(
            RedisStore store, byte writer, int first, CountDownLatch enough) {
        var step = (DurableStep.AtomicBatch) store.durableStep();
        byte[] domain = {writer};
        long fence = step.takeFence(domain);
        for (int commit = first; ; commit++) {
            WriteBatch batch =
                    new WriteBatch()
                            .put("left", key(writer, commit), bytes("value " + commit))
                            .put("right", key(writer, commit), bytes("value " + commit));
            try {
                Outcome outcome = step.commit(domain, fence, batch);
                if (outcome == Outcome.UNKNOWN) {
                    return commit - 1;
                }
                assertThat(outcome).isEqualTo(Outcome.DONE);
                enough.countDown();
            } catch (PetrichorException unreachable) {
                assertThat(unreachable.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                return commit - 1;
            }
        }
    }

    /** The number of the writer's last row; all earlier ones must exist. */
    private static int lastCommit(RedisStore store, String table, int writer) {
        int last = 0;
        KeyRange range = KeyRange.ofPrefix(bytes("writer " + writer + " "));
        try (Scan scan = store.scan(table, range, Direction.FORWARD, Integer.MAX_VALUE)) {
            while (scan.next()) {
                last++;
                assertThat(scan.key()).isEqualTo(key(writer, last));
                assertThat(scan.value()).isEqualTo(bytes("value " + last));
            }
        }
        return last;
    }

    private static byte[] key(int writer, int commit) {
        return bytes(String.format("writer %d commit %08d", writer, commit));
    }
}
