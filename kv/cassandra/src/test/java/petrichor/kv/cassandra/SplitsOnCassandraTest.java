package petrichor.kv.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.bytes;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.step;
import static petrichor.kv.testkit.Rows.value;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.StoreUrl;
import petrichor.kv.WriteBatch;
import petrichor.kv.ranges.PartitionState;
import petrichor.kv.ranges.RangeEntry;
import petrichor.kv.ranges.RangeLimits;
import petrichor.kv.ranges.SplitPlan;

/** Partitions of a real Cassandra that split while two processes write to them. */
class SplitsOnCassandraTest {
    private static final int WRITERS = 4;
    private static final int ROWS = 60;
    private static final int SMALL_ROWS = 600;
    private static final int LARGE_ROWS = 300;
    private static final long NEW_PARTITION = 4_711;
    private static final Duration SPLIT_WITHIN = Duration.ofSeconds(60);
    private static final RangeLimits TINY =
            new RangeLimits(40, 1L << 30, 1_000, 25, 1 << 20, Duration.ofMillis(20), 100, 1_000);

    private static final CassandraServer SERVER = CassandraServer.shared();

    @Test
    void nothingIsLostWhilePartitionsSplit() throws Exception {
        StoreUrl url = SERVER.newStore();
        CassandraAddress address = CassandraAddress.of(url);
        try (KeyValueStore one = CassandraStores.open(address, TINY);
                KeyValueStore other = CassandraStores.open(address, TINY)) {
            one.createTable(TABLE);
            one.createTable("slots");
            List<Callable<Void>> writers = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                String name = "writer " + writer + " row ";
                int base = writer * ROWS;
                var step = step(writer % 2 == 0 ? one : other);
                writers.add(
                        () -> {
                            for (int row = 0; row < ROWS; row++) {
                                byte[] key = bytes(name + row);
                                step.putIfNewer(
                                        new WriteBatch().put(TABLE, key, bytes("v")), base + row);
                                assertThat(step.putIfAbsent("slots", key, key))
                                        .isEqualTo(DurableStep.Outcome.DONE);
                            }
                            return null;
                        });
            }
            try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
                for (Future<Void> writer : threads.invokeAll(writers)) {
                    writer.get();
                }
            }
            assertThat(lines(address, "rows")).isGreaterThan(2);
            assertThat(lines(address, "slots")).isGreaterThan(2);
            try (KeyValueStore fresh = CassandraStores.open(address)) {
                assertThat(count(fresh, TABLE)).isEqualTo(WRITERS * ROWS);
                assertThat(count(fresh, "slots")).isEqualTo(WRITERS * ROWS);
                // Late and older: they must not reappear in ranges deleted before the split.
                step(fresh).putIfNewer(new WriteBatch().deleteRange(TABLE, KeyRange.ALL), 1_000);
                step(one).putIfNewer(new WriteBatch().put(TABLE, bytes("late"), bytes("v")), 999);
                assertThat(count(other, TABLE)).isZero();
            }
        }
    }

    @Test
    void staleProcessLearnsOfASplitFromTheDiscardedPartition() {
        CassandraAddress address = CassandraAddress.of(SERVER.newStore());
        try (KeyValueStore one = CassandraStores.open(address, TINY);
                KeyValueStore reader = CassandraStores.open(address);
                KeyValueStore writer = CassandraStores.open(address);
                CassandraRows rows = CassandraStores.rows(address)) {
            one.createTable(TABLE);
            long first = rows.directory(TABLE).getFirst().partition();
            assertThat(value(reader, "row 1")).isNull();
            assertThat(value(writer, "row 1")).isNull();
            for (int row = 0; row < WRITERS * ROWS; row++) {
                step(one).putIfNewer(put("row " + row, "v"), 1);
            }
            await(() -> rows.state(first).join() == PartitionState.GONE);
            step(writer).putIfNewer(put("late", "v"), 2);
            assertThat(value(one, "late")).isEqualTo("v");
            assertThat(value(reader, "row 1")).isEqualTo("v");
        }
    }

    /**
     * A split that the first releases could not finish: a sealed partition of small rows followed
     * by large ones, which they sent in one request of 18 MB. The next process that opens the store
     * finishes it.
     */
    @Test
    void unfinishedSplitIsFinishedWhenTheStoreIsOpened() {
        CassandraAddress address = CassandraAddress.of(SERVER.newStore());
        try (KeyValueStore one = CassandraStores.open(address);
                CassandraRows rows = CassandraStores.rows(address)) {
            one.createTable(TABLE);
            WriteBatch batch = new WriteBatch();
            for (int row = 0; row < SMALL_ROWS + LARGE_ROWS; row++) {
                batch.put(TABLE, number(row), new byte[row < SMALL_ROWS ? 20 : 60_000]);
            }
            step(one).putIfNewer(batch, 1);
            RangeEntry line = rows.directory(TABLE).getFirst();
            byte[] cut = number(10);
            SplitPlan plan =
                    new SplitPlan(
                            TABLE,
                            line,
                            List.of(
                                    new RangeEntry(new KeyRange(new byte[0], cut), NEW_PARTITION),
                                    new RangeEntry(new KeyRange(cut, null), NEW_PARTITION + 1)));
            assertThat(rows.seal(line.partition(), plan)).isEqualTo(plan);
            // It neither waits for the split nor is lost by it.
            step(one).putIfNewer(new WriteBatch().put(TABLE, number(5), bytes("new")), 2);
            try (KeyValueStore other = CassandraStores.open(address)) {
                await(() -> rows.directory(TABLE).size() == 2);
                assertThat(count(other, TABLE)).isEqualTo(SMALL_ROWS + LARGE_ROWS);
                assertThat(other.get(TABLE, number(5))).isEqualTo(bytes("new"));
                assertThat(other.get(TABLE, number(SMALL_ROWS + 7))).hasSize(60_000);
                assertThat(other.problem()).isEmpty();
            }
            await(() -> rows.state(line.partition()).join() == PartitionState.GONE);
            await(() -> rows.copied(line.partition()) == null); // removed after the state is set
        }
    }

    private static byte[] number(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + SPLIT_WITHIN.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("time until it is so").isLessThan(end);
            Thread.onSpinWait();
        }
    }

    private static int lines(CassandraAddress address, String table) {
        return SERVER.operator(
                session ->
                        session.execute(
                                        "SELECT first FROM "
                                                + address.keyspace()
                                                + ".directory WHERE space = '"
                                                + address.space()
                                                + "' AND tbl = '"
                                                + table
                                                + "'")
                                .all()
                                .size());
    }

    private static int count(KeyValueStore store, String table) {
        int rows = 0;
        try (Scan scan = store.scan(table, KeyRange.ALL, Direction.FORWARD, Integer.MAX_VALUE)) {
            while (scan.next()) {
                rows++;
            }
        }
        return rows;
    }
}
