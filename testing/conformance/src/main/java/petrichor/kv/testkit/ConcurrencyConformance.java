package petrichor.kv.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.keys;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.value;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;

/** Conformance under concurrent use. */
public interface ConcurrencyConformance extends StoreUnderTest {

    @Test
    default void acknowledgedWriteIsSeenByLaterReadsOfAllThreads() throws Exception {
        int writes = 300;
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            AtomicInteger acknowledged = new AtomicInteger();
            List<Callable<Void>> tasks = new ArrayList<>();
            tasks.add(
                    () -> {
                        for (int i = 1; i <= writes; i++) {
                            store.write(put("a", "" + i));
                            acknowledged.set(i);
                        }
                        return null;
                    });
            for (int reader = 0; reader < 3; reader++) {
                tasks.add(
                        () -> {
                            int least = 0;
                            while (least < writes) {
                                least = acknowledged.get();
                                String value = value(store, "a");
                                int seen = value == null ? 0 : Integer.parseInt(value);
                                assertThat(seen).isGreaterThanOrEqualTo(least);
                            }
                            return null;
                        });
            }
            Threads.runAll(tasks);
        }
    }

    @Test
    default void writersOfDifferentRowsLoseNothing() throws Exception {
        int writers = 4;
        int writes = 100;
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int writer = 0; writer < writers; writer++) {
                String name = "writer " + writer + " row ";
                tasks.add(
                        () -> {
                            for (int i = 0; i < writes; i++) {
                                store.write(put(name + i, "v"));
                            }
                            return null;
                        });
            }
            Threads.runAll(tasks);
            assertThat(keys(store)).hasSize(writers * writes);
        }
    }

    /** Native stores with such a defect do not fail: they crash the process. */
    @Test
    default void closingUnderLoadEndsEveryCallWithAResultOrARefusal() throws Exception {
        KeyValueStore store = open();
        store.createTable(TABLE);
        for (int i = 0; i < 100; i++) {
            store.write(put("row " + i, "v"));
        }
        AtomicInteger rounds = new AtomicInteger();
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int reader = 0; reader < 3; reader++) {
            tasks.add(
                    () -> {
                        try {
                            while (true) {
                                value(store, "row 1");
                                scanAll(store);
                                rounds.incrementAndGet();
                            }
                        } catch (PetrichorException e) {
                            assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                        }
                        return null;
                    });
        }
        tasks.add(
                () -> {
                    while (rounds.get() < 30) {
                        Thread.onSpinWait();
                    }
                    store.close();
                    return null;
                });
        Threads.runAll(tasks);
        assertThat(rounds.get()).isGreaterThanOrEqualTo(30);
    }

    private static void scanAll(KeyValueStore store) {
        try (Scan scan = store.scan(TABLE, KeyRange.ALL, Direction.REVERSE, Integer.MAX_VALUE)) {
            while (scan.next()) {
                assertThat(scan.value()).hasSize(1);
            }
        }
    }
}
