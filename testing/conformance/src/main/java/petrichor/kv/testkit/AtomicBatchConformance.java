package petrichor.kv.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.assertFails;
import static petrichor.kv.testkit.Rows.bytes;
import static petrichor.kv.testkit.Rows.keys;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.value;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.kv.DurableStep;
import petrichor.kv.DurableStep.Outcome;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;

/** Conformance of the durable step of tier A. */
public interface AtomicBatchConformance extends StoreUnderTest {

    private static DurableStep.AtomicBatch step(KeyValueStore store) {
        return (DurableStep.AtomicBatch) store.durableStep();
    }

    @Test
    default void commitWithTheNewestFenceIsVisibleImmediately() {
        try (KeyValueStore store = open()) {
            var step = step(store);
            store.createTable(TABLE);
            long fence = step.takeFence(bytes("db"));
            assertThat(step.commit(bytes("db"), fence, put("a", "1"))).isEqualTo(Outcome.DONE);
            assertThat(value(store, "a")).isEqualTo("1");
        }
    }

    @Test
    default void olderFenceCommitsNothing() {
        try (KeyValueStore store = open()) {
            var step = step(store);
            store.createTable(TABLE);
            long older = step.takeFence(bytes("db"));
            long newer = step.takeFence(bytes("db"));
            assertThat(newer).isGreaterThan(older);
            assertThat(step.commit(bytes("db"), older, put("a", "1"))).isEqualTo(Outcome.FENCED);
            assertThat(keys(store)).isEmpty();
            assertThat(step.commit(bytes("db"), newer, put("a", "2"))).isEqualTo(Outcome.DONE);
        }
    }

    @Test
    default void fenceThatWasNeverTakenCommitsNothing() {
        try (KeyValueStore store = open()) {
            var step = step(store);
            store.createTable(TABLE);
            long fence = step.takeFence(bytes("db"));
            assertThat(step.commit(bytes("db"), fence + 1, put("a", "1")))
                    .isEqualTo(Outcome.FENCED);
            assertThat(step.commit(bytes("never"), fence, put("a", "1"))).isEqualTo(Outcome.FENCED);
            assertThat(keys(store)).isEmpty();
        }
    }

    @Test
    default void domainsHaveSeparateFences() {
        try (KeyValueStore store = open()) {
            var step = step(store);
            store.createTable(TABLE);
            long one = step.takeFence(bytes("one"));
            long two = step.takeFence(bytes("two"));
            step.takeFence(bytes("two"));
            assertThat(step.commit(bytes("one"), one, put("a", "1"))).isEqualTo(Outcome.DONE);
            assertThat(step.commit(bytes("two"), two, put("b", "2"))).isEqualTo(Outcome.FENCED);
        }
    }

    @Test
    default void fencesGrowAcrossAReopen() {
        KeyValueStore first = open();
        long older = step(first).takeFence(bytes("db"));
        first.createTable(TABLE);
        try (KeyValueStore store = reopen(first)) {
            var step = step(store);
            long newer = step.takeFence(bytes("db"));
            assertThat(newer).isGreaterThan(older);
            assertThat(step.commit(bytes("db"), older, put("a", "1"))).isEqualTo(Outcome.FENCED);
            assertThat(step.commit(bytes("db"), newer, put("a", "1"))).isEqualTo(Outcome.DONE);
        }
    }

    @Test
    default void commitToAnUnknownTableIsRefusedAsAWhole() {
        try (KeyValueStore store = open()) {
            var step = step(store);
            store.createTable(TABLE);
            long fence = step.takeFence(bytes("db"));
            for (String missing : Rows.MISSING) {
                WriteBatch batch = put("a", "1").put(missing, bytes("a"), bytes("1"));
                assertFails(ErrorCode.NOT_FOUND, () -> step.commit(bytes("db"), fence, batch));
                assertThat(keys(store)).isEmpty();
            }
        }
    }

    @Test
    default void commitOverTheLimitIsRefusedAsAWhole() {
        try (KeyValueStore store = open()) {
            var step = step(store);
            store.createTable(TABLE);
            long fence = step.takeFence(bytes("db"));
            byte[] tooMuch = new byte[store.capabilities().valueBytesMax() + 1];
            assertFails(
                    ErrorCode.INVALID_ARGUMENT,
                    () ->
                            step.commit(
                                    bytes("db"),
                                    fence,
                                    put("a", "1").put(TABLE, bytes("b"), tooMuch)));
            assertThat(keys(store)).isEmpty();
        }
    }

    @Test
    default void noCommitFollowsARaisedFence() throws Exception {
        try (KeyValueStore store = open()) {
            var step = step(store);
            store.createTable(TABLE);
            long older = step.takeFence(bytes("db"));
            int attempts = 200;
            try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
                Future<Integer> zombie =
                        threads.submit(
                                () -> {
                                    int done = 0;
                                    for (int i = 0; i < attempts; i++) {
                                        WriteBatch batch = put("zombie", "" + i);
                                        if (step.commit(bytes("db"), older, batch)
                                                == Outcome.DONE) {
                                            done++;
                                        }
                                    }
                                    return done;
                                });
                Callable<String> owner =
                        () -> {
                            step.takeFence(bytes("db"));
                            String seen = String.valueOf(value(store, "zombie"));
                            while (!zombie.isDone()) {
                                Thread.onSpinWait();
                            }
                            return seen + " then " + value(store, "zombie");
                        };
                String seen = threads.submit(owner).get();
                int done = zombie.get();
                String last = done == 0 ? "null" : "" + (done - 1);
                assertThat(seen).isEqualTo(last + " then " + last);
            }
        }
    }
}
