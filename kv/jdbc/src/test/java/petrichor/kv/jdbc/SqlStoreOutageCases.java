package petrichor.kv.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.jdbc.SqlStoreCases.assertFails;
import static petrichor.kv.jdbc.SqlStoreCases.bytes;
import static petrichor.kv.jdbc.SqlStoreCases.changed;
import static petrichor.kv.jdbc.SqlStoreCases.open;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.DurableStep.Outcome;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;

/** What happens to callers when the server goes away, and that nothing is to be restarted here. */
interface SqlStoreOutageCases extends SqlStoreCases {
    int WRITERS = 4;

    @Test
    default void killedServerLosesNothingAcknowledgedAndTheStoreGoesOn() throws Exception {
        try (KeyValueStore store = open(place("killed"))) {
            store.createTable(TABLE);
            var step = (DurableStep.AtomicBatch) store.durableStep();
            long fence = step.takeFence(bytes("db"));
            AtomicBoolean stop = new AtomicBoolean();
            AtomicInteger commits = new AtomicInteger();
            List<Callable<Integer>> writers = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                byte[] key = bytes("writer " + writer);
                writers.add(
                        () -> {
                            int done = 0;
                            while (!stop.get() && commit(step, fence, key, done + 1)) {
                                done++;
                                commits.incrementAndGet();
                            }
                            return done;
                        });
            }
            try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
                List<Future<Integer>> running = writers.stream().map(threads::submit).toList();
                while (commits.get() < 100) {
                    Thread.onSpinWait();
                }
                server().kill(1);
                stop.set(true);
                for (int writer = 0; writer < WRITERS; writer++) {
                    running.get(writer).get();
                }
                server().start(1);
                for (int writer = 0; writer < WRITERS; writer++) {
                    int done = running.get(writer).get();
                    byte[] found = eventually(store, bytes("writer " + writer));
                    assertThat(ByteBuffer.wrap(found).getInt()).isBetween(done, done + 1);
                }
            }
            assertThat(commit(step, fence, bytes("after"), 1)).isTrue();
        }
    }

    private static boolean commit(DurableStep.AtomicBatch step, long fence, byte[] key, int n) {
        byte[] value = ByteBuffer.allocate(Integer.BYTES).putInt(n).array();
        try {
            return step.commit(bytes("db"), fence, new WriteBatch().put(TABLE, key, value))
                    == Outcome.DONE;
        } catch (PetrichorException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE);
            return false;
        }
    }

    /** Where one of several nodes was lost, the others may need a moment to agree on it. */
    private static byte[] eventually(KeyValueStore store, byte[] key) {
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (true) {
            try {
                return Objects.requireNonNull(store.get(TABLE, key), "an acknowledged row");
            } catch (PetrichorException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                assertThat(System.nanoTime()).as(e.getMessage()).isLessThan(end);
            }
        }
    }

    @Test
    default void silentServerIsUnavailableInBoundedTimeAndAStepIsUnknown() {
        try (KeyValueStore store =
                open(changed(place("silent"), "connections=", "timeout=2s&connections="))) {
            store.createTable(TABLE);
            var step = (DurableStep.AtomicBatch) store.durableStep();
            long fence = step.takeFence(bytes("db"));
            assertThat(commit(step, fence, bytes("a"), 1)).isTrue();
            server().pause(1);
            try {
                WriteBatch batch = new WriteBatch().put(TABLE, bytes("b"), bytes("1"));
                long start = System.nanoTime();
                assertThat(step.commit(bytes("db"), fence, batch)).isEqualTo(Outcome.UNKNOWN);
                PetrichorException e =
                        assertFails(ErrorCode.UNAVAILABLE, () -> store.get(TABLE, bytes("a")));
                assertThat(e).hasMessageContaining(place("silent").scheme() + "://");
                assertFails(ErrorCode.UNAVAILABLE, () -> store.write(batch));
                assertThat(Duration.ofNanos(System.nanoTime() - start))
                        .isLessThan(Duration.ofSeconds(15));
            } finally {
                server().resume(1);
            }
            eventually(store, bytes("a"));
            assertThat(commit(step, fence, bytes("c"), 1)).isTrue();
        }
    }
}
