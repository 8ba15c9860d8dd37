package petrichor.kv.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.assertFails;
import static petrichor.kv.testkit.Rows.bytes;
import static petrichor.kv.testkit.Rows.fill;
import static petrichor.kv.testkit.Rows.keys;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.range;
import static petrichor.kv.testkit.Rows.value;

import java.util.ArrayList;
import java.util.List;
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

/** Conformance of the durable step of tier B. */
public interface ConditionalRowConformance extends StoreUnderTest {

    private static DurableStep.ConditionalRow step(KeyValueStore store) {
        return (DurableStep.ConditionalRow) store.durableStep();
    }

    @Test
    default void slotIsWrittenOnce() {
        try (KeyValueStore store = open()) {
            var step = step(store);
            store.createTable(TABLE);
            assertThat(step.putIfAbsent(TABLE, bytes("slot"), bytes("1"))).isEqualTo(Outcome.DONE);
            assertThat(step.putIfAbsent(TABLE, bytes("slot"), bytes("2")))
                    .isEqualTo(Outcome.FENCED);
            assertThat(step.read(TABLE, bytes("slot"))).isEqualTo(bytes("1"));
            assertThat(step.read(TABLE, bytes("next"))).isNull();
        }
    }

    @Test
    default void oneOfManyContendersGetsTheSlot() throws Exception {
        try (KeyValueStore store = open()) {
            var step = step(store);
            store.createTable(TABLE);
            List<Callable<Outcome>> contenders = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                byte[] value = {(byte) i};
                contenders.add(() -> step.putIfAbsent(TABLE, bytes("slot"), value));
            }
            List<Outcome> outcomes = new ArrayList<>();
            try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
                for (Future<Outcome> outcome : threads.invokeAll(contenders)) {
                    outcomes.add(outcome.get());
                }
            }
            assertThat(outcomes).containsOnlyOnce(Outcome.DONE).hasSize(8);
        }
    }

    @Test
    default void lateOlderRowsHaveNoEffect() {
        try (KeyValueStore store = open()) {
            var step = step(store);
            store.createTable(TABLE);
            step.putIfNewer(put("a", "new").put(TABLE, bytes("b"), bytes("new")), 20);
            step.putIfNewer(put("a", "old").put(TABLE, bytes("c"), bytes("old")), 10);
            assertThat(value(store, "a")).isEqualTo("new");
            assertThat(value(store, "c")).isEqualTo("old");
            step.putIfNewer(new WriteBatch().delete(TABLE, bytes("b")), 30);
            step.putIfNewer(put("b", "late"), 25);
            assertThat(value(store, "b")).isNull();
            step.putIfNewer(new WriteBatch().delete(TABLE, bytes("a")), 15);
            assertThat(value(store, "a")).isEqualTo("new");
        }
    }

    @Test
    default void lateOlderRowsDoNotReappearInADeletedRange() {
        try (KeyValueStore store = open()) {
            var step = step(store);
            store.createTable(TABLE);
            step.putIfNewer(put("a", "1"), 10);
            step.putIfNewer(put("b", "newer"), 30);
            step.putIfNewer(new WriteBatch().deleteRange(TABLE, range("a", "c")), 20);
            step.putIfNewer(put("aa", "late"), 15);
            assertThat(keys(store)).containsExactly("b");
        }
    }

    @Test
    default void applyingABatchIsIdempotent() {
        try (KeyValueStore store = open()) {
            var step = step(store);
            store.createTable(TABLE);
            fill(store, "z");
            step.putIfNewer(put("a", "1").delete(TABLE, bytes("z")), 10);
            step.putIfNewer(put("a", "1").delete(TABLE, bytes("z")), 10);
            assertThat(keys(store)).containsExactly("a");
        }
    }

    @Test
    default void theNewestOfConcurrentlyWrittenVersionsStays() throws Exception {
        int writers = 6;
        int rounds = 8;
        try (KeyValueStore store = open()) {
            var step = step(store);
            store.createTable(TABLE);
            step.putIfNewer(put("a", "0"), 1);
            try (ExecutorService threads = Executors.newFixedThreadPool(writers)) {
                for (int round = 1; round <= rounds; round++) {
                    List<Callable<Long>> changes = new ArrayList<>();
                    for (int writer = 0; writer < writers; writer++) {
                        long version = 10L * round + writer;
                        changes.add(
                                () -> {
                                    step.putIfNewer(put("a", "" + version), version);
                                    return version;
                                });
                    }
                    for (Future<Long> change : threads.invokeAll(changes)) {
                        assertThat(change.get()).isPositive();
                    }
                    assertThat(value(store, "a")).isEqualTo("" + (10 * round + writers - 1));
                }
            }
        }
    }

    @Test
    default void slotOverTheLimitIsRefusedAndNotWritten() {
        try (KeyValueStore store = open()) {
            var step = step(store);
            store.createTable(TABLE);
            byte[] tooMuch = new byte[store.capabilities().valueBytesMax() + 1];
            assertFails(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> step.putIfAbsent(TABLE, bytes("slot"), tooMuch));
            assertThat(step.putIfAbsent(TABLE, bytes("slot"), bytes("1"))).isEqualTo(Outcome.DONE);
        }
    }
}
