package petrichor.kv.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.jdbc.SqlStoreCases.assertFails;
import static petrichor.kv.jdbc.SqlStoreCases.bytes;
import static petrichor.kv.jdbc.SqlStoreCases.changed;
import static petrichor.kv.jdbc.SqlStoreCases.open;
import static petrichor.kv.testkit.Outages.whenBack;

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
import petrichor.kv.StoreUrl;
import petrichor.kv.WriteBatch;

/** Behaviour for callers during a server outage; nothing has to be restarted here afterwards. */
interface SqlStoreOutageCases extends SqlStoreCases {
    int WRITERS = 4;

    /** Commits that may miss the pause. */
    int COMMITS_MAX = 5;

    @Test
    default void killedServerLosesNoAcknowledgedWriteAndTheStoreContinues() throws Exception {
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
                    byte[] key = bytes("writer " + writer);
                    byte[] found = whenBack(() -> store.get(TABLE, key));
                    int last = found == null ? 0 : ByteBuffer.wrap(found).getInt();
                    assertThat(last).isBetween(done, done + 1);
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

    /** When one of several nodes was lost, the others may need a moment to agree on it. */
    private static byte[] eventually(KeyValueStore store, byte[] key) {
        return Objects.requireNonNull(whenBack(() -> store.get(TABLE, key)), "an acknowledged row");
    }

    /**
     * A connection that was idle for a moment is tested before it is used: then the store notices
     * the pause before it sends the commit, which is UNAVAILABLE, and another one is tried.
     */
    private void pauseWithAnUnknownCommit(KeyValueStore store, Runnable commit) {
        for (int tried = 1; ; tried++) {
            assertThat(whenBack(() -> store.get(TABLE, bytes("a")))).isNotNull();
            server().pause(1);
            try {
                commit.run();
                return;
            } catch (PetrichorException noticed) {
                if (noticed.code() != ErrorCode.UNAVAILABLE || tried == COMMITS_MAX) {
                    throw noticed;
                }
                server().resume(1);
            }
        }
    }

    @Test
    default void aStepOnAnUnresponsiveServerIsUnknown() {
        StoreUrl impatient = changed(place("silent"), "timeout=60s", "timeout=2s");
        try (KeyValueStore prepared = open(place("silent"));
                KeyValueStore store = whenBack(() -> open(impatient))) {
            prepared.createTable(TABLE);
            var patient = (DurableStep.AtomicBatch) prepared.durableStep();
            var step = (DurableStep.AtomicBatch) store.durableStep();
            long fence = patient.takeFence(bytes("db"));
            assertThat(commit(patient, fence, bytes("a"), 1)).isTrue();
            try {
                WriteBatch batch = new WriteBatch().put(TABLE, bytes("b"), bytes("1"));
                pauseWithAnUnknownCommit(
                        store,
                        () ->
                                assertThat(step.commit(bytes("db"), fence, batch))
                                        .isEqualTo(Outcome.UNKNOWN));
                long start = System.nanoTime();
                PetrichorException e =
                        assertFails(ErrorCode.UNAVAILABLE, () -> store.get(TABLE, bytes("a")));
                assertThat(e).hasMessageContaining(place("silent").scheme() + "://");
                assertFails(ErrorCode.UNAVAILABLE, () -> store.write(batch));
                assertThat(Duration.ofNanos(System.nanoTime() - start))
                        .isLessThan(Duration.ofSeconds(60));
            } finally {
                server().resume(1);
            }
            eventually(store, bytes("a"));
            assertThat(commit(patient, fence, bytes("c"), 1)).isTrue();
        }
    }
}
