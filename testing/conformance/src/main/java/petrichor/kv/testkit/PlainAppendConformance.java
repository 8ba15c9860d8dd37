package petrichor.kv.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.bytes;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.value;

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;

/**
 * Conformance of tier B with expensive conditional writes: of a process that writes and then reads,
 * and one that closes and then reads, at least one sees the other's write.
 */
public interface PlainAppendConformance extends ConditionalRowConformance {
    /** Pairs of a writer and a closer. */
    int PAIRS = 60;

    private static DurableStep.PlainAppend step(KeyValueStore store) {
        return (DurableStep.PlainAppend) store.durableStep();
    }

    @Test
    default void aRowIsPutAndAnotherIsReadWhetherOrNotItExists() {
        try (KeyValueStore store = open()) {
            var step = step(store);
            store.createTable(TABLE);
            assertThat(step.putThenRead(TABLE, bytes("a"), bytes("1"), 10, bytes("gate"))).isNull();
            step.putIfNewer(put("gate", "open"), 1);
            assertThat(step.putThenRead(TABLE, bytes("b"), bytes("2"), 20, bytes("gate")))
                    .isEqualTo(bytes("open"));
            step.putIfNewer(put("gate", "closed"), 2);
            step.putIfNewer(put("gate", "open"), 1);
            assertThat(step.putThenRead(TABLE, bytes("a"), bytes("late"), 5, bytes("gate")))
                    .isEqualTo(bytes("closed"));
            assertThat(value(store, "a")).isEqualTo("1");
            assertThat(value(store, "b")).isEqualTo("2");
        }
    }

    @Test
    default void atLeastOneOfAWriterAndACloserSeesTheOther() throws Exception {
        try (KeyValueStore store = open();
                ExecutorService threads = Executors.newFixedThreadPool(2)) {
            var step = step(store);
            store.createTable(TABLE);
            CyclicBarrier start = new CyclicBarrier(2);
            for (int pair = 0; pair < PAIRS; pair++) {
                byte[] slot = bytes("slot" + pair);
                byte[] gate = bytes("gate" + pair);
                Future<byte @Nullable []> writer =
                        threads.submit(
                                () -> {
                                    start.await();
                                    return step.putThenRead(TABLE, slot, bytes("1"), 10, gate);
                                });
                String name = "gate" + pair;
                Future<byte @Nullable []> closer =
                        threads.submit(
                                () -> {
                                    start.await();
                                    step.putIfNewer(put(name, "closed"), 2);
                                    return store.get(TABLE, slot);
                                });
                boolean writerSaw = writer.get() != null;
                boolean closerSaw = closer.get() != null;
                assertThat(writerSaw || closerSaw).as("pair %d", pair).isTrue();
            }
        }
    }
}
