package petrichor.kv.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.bytes;
import static petrichor.kv.testkit.Rows.keys;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.range;
import static petrichor.kv.testkit.Rows.step;
import static petrichor.kv.testkit.Rows.value;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.Test;
import petrichor.kv.DurableStep;
import petrichor.kv.DurableStep.Outcome;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.WriteBatch;

/** HBase returns the row with the highest timestamp: the last write must have it. */
class TimestampsTest {
    private static final Duration NOTICED_TIME_MAX = Duration.ofSeconds(30);

    private final String url = TestHBase.newUrl();

    @Test
    void rowWithoutAVersionReplacesOneWhoseTimestampIsAheadOfTheClock() {
        try (KeyValueStore store = TestHBase.open(url)) {
            store.createTable(TABLE);
            step(store).putIfNewer(put("a", "ahead").put(TABLE, bytes("b"), bytes("ahead")), 10);
            store.write(put("a", "plain").delete(TABLE, bytes("b")));
            assertThat(value(store, "a")).isEqualTo("plain");
            assertThat(keys(store)).containsExactly("a");
        }
    }

    @Test
    void rowsAndSlotsWrittenIntoADeletedRangeExist() {
        try (KeyValueStore store = TestHBase.open(url)) {
            store.createTable(TABLE);
            var step = step(store);
            step.putIfNewer(new WriteBatch().deleteRange(TABLE, range("a", "c")), 30);
            store.write(put("a", "plain"));
            assertThat(step.putIfAbsent(TABLE, bytes("b"), bytes("slot"))).isEqualTo(Outcome.DONE);
            assertThat(step.putIfAbsent(TABLE, bytes("b"), bytes("two"))).isEqualTo(Outcome.FENCED);
            assertThat(value(store, "a")).isEqualTo("plain");
            assertThat(value(store, "b")).isEqualTo("slot");
            assertThat(keys(store)).containsExactly("a", "b");
        }
    }

    @Test
    void rangeDeletionCoversRowsOfItsOwnVersion() {
        try (KeyValueStore store = TestHBase.open(url)) {
            store.createTable(TABLE);
            var step = step(store);
            step.putIfNewer(put("a", "1").put(TABLE, bytes("c"), bytes("1")), 30);
            step.putIfNewer(new WriteBatch().deleteRange(TABLE, range("a", "c")), 30);
            assertThat(keys(store)).containsExactly("c");
        }
    }

    @Test
    void oneOfManyContendersGetsTheSlotOfADeletedRow() throws Exception {
        int contenders = 8;
        int rounds = 5;
        try (KeyValueStore store = TestHBase.open(url);
                ExecutorService threads = Executors.newFixedThreadPool(contenders)) {
            store.createTable(TABLE);
            var step = step(store);
            for (int round = 0; round < rounds; round++) {
                byte[] slot = bytes("slot " + round);
                step.putIfNewer(new WriteBatch().delete(TABLE, slot), 10);
                List<Callable<Outcome>> attempts = new ArrayList<>();
                for (int i = 0; i < contenders; i++) {
                    byte[] mine = bytes("" + i);
                    attempts.add(() -> step.putIfAbsent(TABLE, slot, mine));
                }
                List<Outcome> outcomes = new ArrayList<>();
                for (Future<Outcome> attempt : threads.invokeAll(attempts)) {
                    outcomes.add(attempt.get());
                }
                assertThat(outcomes).containsOnlyOnce(Outcome.DONE);
            }
        }
    }

    @Test
    void rangeDeletedByAnotherProcessHidesLateRowsSoon() {
        try (KeyValueStore store = TestHBase.open(url);
                KeyValueStore other = TestHBase.open(url)) {
            store.createTable(TABLE);
            DurableStep.ConditionalRow step = step(store);
            step.putIfNewer(put("a", "old"), 10);
            assertThat(keys(store)).containsExactly("a");
            for (int hour = 1; hour <= 5; hour++) {
                step(other)
                        .putIfNewer(
                                new WriteBatch().deleteRange(TABLE, range("", "b" + hour)),
                                30 + hour);
            }
            step.putIfNewer(put("a", "late"), 20);
            long end = System.nanoTime() + NOTICED_TIME_MAX.toNanos();
            while (value(store, "a") != null) {
                assertThat(System.nanoTime()).as("the range is noticed").isLessThan(end);
            }
            assertThat(notesOfRanges()).isEqualTo(1);
        }
    }

    private int notesOfRanges() {
        HBaseAddress address = HBaseAddress.of(StoreUrl.parse(url));
        try (HBaseConnection connection = HBaseConnection.open(address)) {
            return connection
                    .await(
                            connection
                                    .table(TABLE)
                                    .scanAll(
                                            new Scan()
                                                    .withStartRow(StoredRow.note(new byte[] {'r'}))
                                                    .withStopRow(StoredRow.note(new byte[] {'s'}))),
                            TABLE)
                    .size();
        }
    }
}
