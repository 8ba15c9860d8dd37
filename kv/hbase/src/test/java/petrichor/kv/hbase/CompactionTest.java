package petrichor.kv.hbase;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.CompactionState;
import org.junit.jupiter.api.Test;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.StoreUrl;
import petrichor.kv.WriteBatch;

/** A major compaction drops HBase's own deletes; deletions of the store must survive it. */
class CompactionTest {
    private static final String TABLE = "rows";
    private static final Duration COMPACTION_TIME_MAX = Duration.ofSeconds(60);

    private final String url = TestHBase.newUrl();

    @Test
    void lateOlderRowStaysDeletedAfterAMajorCompaction() throws Exception {
        try (KeyValueStore store = TestHBase.open(url)) {
            store.createTable(TABLE);
            var step = (DurableStep.ConditionalRow) store.durableStep();
            step.putIfNewer(put("row", "first"), 10);
            step.putIfNewer(new WriteBatch().delete(TABLE, bytes("row")), 30);
            step.putIfNewer(new WriteBatch().delete(TABLE, bytes("never there")), 30);
            compact();
            step.putIfNewer(put("row", "late"), 20);
            step.putIfNewer(put("never there", "late"), 20);
            assertThat(keys(store)).isEmpty();
            step.putIfNewer(put("row", "new"), 40);
            compact();
            assertThat(keys(store)).containsExactly("row");
            assertThat(store.get(TABLE, bytes("row"))).isEqualTo(bytes("new"));
        }
    }

    @Test
    void lateOlderRowStaysOutOfADeletedRangeAfterAMajorCompaction() throws Exception {
        try (KeyValueStore store = TestHBase.open(url)) {
            store.createTable(TABLE);
            var step = (DurableStep.ConditionalRow) store.durableStep();
            step.putIfNewer(put("a", "old").put(TABLE, bytes("c"), bytes("old")), 10);
            step.putIfNewer(
                    new WriteBatch().deleteRange(TABLE, new KeyRange(bytes("a"), bytes("c"))), 30);
            compact();
            step.putIfNewer(put("a", "late").put(TABLE, bytes("b"), bytes("late")), 20);
            assertThat(keys(store)).containsExactly("c");
            // The version of the range itself means that a batch is applied again.
            step.putIfNewer(put("a", "again"), 30);
            compact();
            assertThat(keys(store)).containsExactly("a", "c");
        }
        try (KeyValueStore again = TestHBase.open(url)) {
            assertThat(keys(again)).containsExactly("a", "c");
        }
    }

    @Test
    void rowOfTheSameVersionAsItsDeletionIsRestoredByAPut() throws Exception {
        try (KeyValueStore store = TestHBase.open(url)) {
            store.createTable(TABLE);
            var step = (DurableStep.ConditionalRow) store.durableStep();
            step.putIfNewer(new WriteBatch().delete(TABLE, bytes("row")), 10);
            step.putIfNewer(put("row", "same"), 10);
            compact();
            assertThat(keys(store)).containsExactly("row");
        }
    }

    @Test
    void onlyTombstonesOfThePreviousDayAreRemoved() throws Exception {
        try (KeyValueStore store = TestHBase.open(url)) {
            store.createTable(TABLE);
            var step = (DurableStep.ConditionalRow) store.durableStep();
            store.write(put("plain", "").put(TABLE, bytes("stays"), bytes("")));
            store.write(new WriteBatch().delete(TABLE, bytes("plain")));
            step.putIfNewer(put("versioned", ""), 10);
            step.putIfNewer(new WriteBatch().delete(TABLE, bytes("versioned")), 20);
            assertThat(swept(Instant.now().minus(TombstoneSweep.AGE))).isZero();
            assertThat(swept(Instant.now().plusSeconds(1))).isEqualTo(2);
            assertThat(swept(Instant.now().plusSeconds(1))).isZero();
            assertThat(keys(store)).containsExactly("stays");
            // A new put is valid, with HBase's own delete beneath it and after that is gone.
            store.write(put("plain", "again"));
            step.putIfNewer(put("versioned", "again"), 30);
            assertThat(keys(store)).containsExactly("plain", "stays", "versioned");
            compact();
            assertThat(keys(store)).containsExactly("plain", "stays", "versioned");
        }
    }

    @Test
    void theDailySweepDoesNotAffectReaders() {
        try (KeyValueStore store = TestHBase.open(url)) {
            store.createTable(TABLE);
            store.write(put("goes", "").put(TABLE, bytes("stays"), bytes("")));
            store.write(new WriteBatch().delete(TABLE, bytes("goes")));
        }
        HBaseAddress address = HBaseAddress.of(StoreUrl.parse(url));
        try (HBaseConnection connection = HBaseConnection.open(address)) {
            HBaseTables tables = HBaseTables.open(connection);
            new TombstoneSweep(connection, tables, Instant::now).sweepIfDue(TABLE);
            try (KeyValueStore store = TestHBase.open(url)) {
                assertThat(keys(store)).containsExactly("stays");
            }
            Duration later = TombstoneSweep.AGE.multipliedBy(2);
            new TombstoneSweep(connection, tables, () -> Instant.now().plus(later))
                    .sweepIfDue(TABLE);
        }
        assertThat(swept(Instant.now().plusSeconds(1))).as("left").isZero();
        try (KeyValueStore store = TestHBase.open(url)) {
            assertThat(keys(store)).containsExactly("stays");
        }
    }

    private long swept(Instant before) {
        HBaseAddress address = HBaseAddress.of(StoreUrl.parse(url));
        try (HBaseConnection connection = HBaseConnection.open(address)) {
            return TombstoneSweep.sweep(connection, TABLE, before);
        }
    }

    /** A limit counts existing rows, not those hidden by a deleted range. */
    @Test
    void limitedScanContinuesAfterLateRowsOfADeletedRange() {
        try (KeyValueStore store = TestHBase.open(url)) {
            store.createTable(TABLE);
            var step = (DurableStep.ConditionalRow) store.durableStep();
            step.putIfNewer(
                    new WriteBatch().deleteRange(TABLE, new KeyRange(bytes("b"), bytes("d"))), 30);
            step.putIfNewer(
                    put("a", "")
                            .put(TABLE, bytes("b"), bytes(""))
                            .put(TABLE, bytes("c"), bytes("")),
                    20);
            step.putIfNewer(put("d", "").put(TABLE, bytes("e"), bytes("")), 40);
            assertThat(keys(store, Direction.FORWARD, 2)).containsExactly("a", "d");
            assertThat(keys(store, Direction.REVERSE, 3)).containsExactly("e", "d", "a");
        }
    }

    /** Flushes memory to a file, and merges all files into one. */
    private void compact() throws Exception {
        HBaseAddress address = HBaseAddress.of(StoreUrl.parse(url));
        try (HBaseConnection connection = HBaseConnection.open(address)) {
            AsyncAdmin admin = connection.changingAdmin();
            admin.flush(connection.name(TABLE)).get();
            admin.majorCompact(connection.name(TABLE)).get();
            long began = System.nanoTime();
            while (admin.getCompactionState(connection.name(TABLE)).get() != CompactionState.NONE) {
                assertThat(Duration.ofNanos(System.nanoTime() - began))
                        .isLessThan(COMPACTION_TIME_MAX);
                Thread.onSpinWait();
            }
        }
    }

    private static WriteBatch put(String key, String value) {
        return new WriteBatch().put(TABLE, bytes(key), bytes(value));
    }

    private static List<String> keys(KeyValueStore store) {
        return keys(store, Direction.FORWARD, Integer.MAX_VALUE);
    }

    private static List<String> keys(KeyValueStore store, Direction direction, int limit) {
        List<String> keys = new ArrayList<>();
        try (Scan scan = store.scan(TABLE, KeyRange.ALL, direction, limit)) {
            while (scan.next()) {
                keys.add(new String(scan.key(), UTF_8));
            }
        }
        return keys;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
