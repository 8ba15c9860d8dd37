package petrichor.kv.ranges;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;

/** Splits of rows of all sizes, splits that fail repeatedly, and unfinished splits. */
class SplitRecoveryTest {
    private static final String TABLE = "rows";

    /** No request has more than a thousand. */
    private static final int ROWS_OF_MANY_REQUESTS = 2_500;

    private static final RangeLimits LIMITS =
            RangeLimits.DEFAULT.withPartitionsOf(1_000, 4 << 20, 1_000_000);

    private final HeapRows rows = new HeapRows();
    private final AtomicLong partitions = new AtomicLong(100);
    private final Deque<Runnable> later = new ArrayDeque<>();
    private final RangedStore store = open();

    private RangedStore open() {
        return open(LIMITS);
    }

    private RangedStore open(RangeLimits limits) {
        return new RangedStore(
                rows,
                limits,
                partitions::incrementAndGet,
                bound -> bound - 1,
                (task, after) -> {
                    if (after.isZero()) {
                        task.run();
                    } else {
                        later.add(task);
                    }
                },
                ignored -> {});
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static DurableStep.PlainAppend step(KeyValueStore store) {
        return (DurableStep.PlainAppend) store.durableStep();
    }

    private void put(int number, int bytes, long version) {
        step(store).putIfNewer(new WriteBatch().put(TABLE, key(number), new byte[bytes]), version);
    }

    private static List<Integer> sizes(KeyValueStore store) {
        List<Integer> sizes = new ArrayList<>();
        try (Scan scan = store.scan(TABLE, KeyRange.ALL, Direction.FORWARD, Integer.MAX_VALUE)) {
            while (scan.next()) {
                sizes.add(scan.value().length);
            }
        }
        return sizes;
    }

    /** The state that a process leaves when it fails after sealing. */
    private SplitPlan sealed(int... cuts) {
        RangeEntry line = rows.directory(TABLE).getFirst();
        List<RangeEntry> children = new ArrayList<>();
        byte[] from = {};
        for (int cut : cuts) {
            children.add(new RangeEntry(new KeyRange(from, key(cut)), children.size() + 1));
            from = key(cut);
        }
        children.add(new RangeEntry(new KeyRange(from, null), children.size() + 1));
        SplitPlan plan = new SplitPlan(TABLE, line, children);
        assertThat(rows.seal(line.partition(), plan)).isEqualTo(plan);
        return plan;
    }

    private void retry() {
        Runnable task = later.poll();
        assertThat(task).as("a retry that was scheduled").isNotNull();
        if (task != null) {
            task.run();
        }
    }

    @Test
    void mixedRowSizesAreCopiedInAcceptableRequests() {
        RangedStore one = open(RangeLimits.DEFAULT);
        one.createTable(TABLE);
        for (int i = 0; i < 600; i++) {
            WriteBatch row = new WriteBatch().put(TABLE, key(i), new byte[i < 500 ? 20 : 60_000]);
            step(one).putIfNewer(row, 1);
        }
        one.write(new WriteBatch().put(TABLE, key(10_000), new byte[3 << 20]));
        sealed(300);
        open().searchUnfinishedSplits();
        assertThat(rows.linesOf(TABLE)).isEqualTo(2);
        List<Integer> sizes = sizes(store);
        assertThat(sizes).hasSize(601).contains(20, 60_000, 3 << 20);
        assertThat(rows.tooLarge()).as("requests that were too large").isZero();
        assertThat(store.problem()).isEmpty();
    }

    @Test
    void partsHaveTheRightSizeForRowsOfAnySize() {
        store.createTable(TABLE);
        for (int i = 0; i < 500; i++) {
            put(i, 20, 1);
        }
        for (int i = 500; i < 600; i++) {
            put(i, 100_000, 1);
        }
        assertThat(rows.linesOf(TABLE)).isGreaterThan(2);
        for (RangeEntry line : rows.directory(TABLE)) {
            long bytes = 0;
            try (Scan scan =
                    store.scan(TABLE, line.range(), Direction.FORWARD, Integer.MAX_VALUE)) {
                while (scan.next()) {
                    bytes += scan.value().length;
                }
            }
            assertThat(bytes).as("bytes of " + line).isLessThan(LIMITS.bytesMax() * 3 / 2);
        }
    }

    @Test
    void copyResumesAfterTheLastStepThatWasRecorded() {
        store.createTable(TABLE);
        for (int i = 0; i < 100; i++) {
            put(i, 30_000, 1);
        }
        SplitPlan plan = sealed(50);
        AtomicInteger left = new AtomicInteger(4);
        rows.failCopies(_ -> left.getAndDecrement() <= 0);
        PartitionSplit split = new PartitionSplit(rows, LIMITS, partitions::incrementAndGet);
        long partition = plan.replaced().partition();
        assertThatThrownBy(() -> split.finish(partition)).isInstanceOf(PetrichorException.class);
        byte[] copied = Objects.requireNonNull(rows.copied(partition), "recorded progress");
        rows.failCopies(
                some -> some.stream().anyMatch(row -> Bytes.compare(row.key(), copied) < 0));
        split.finish(partition);
        assertThat(sizes(store)).hasSize(100);
        assertThat(rows.linesOf(TABLE)).isEqualTo(2);
    }

    @Test
    void requestThatTheServerRefusesIsDivided() {
        store.createTable(TABLE);
        for (int i = 0; i < 50; i++) {
            put(i, 1_000, 1);
        }
        sealed(25);
        rows.failCopies(some -> some.size() > 1);
        open().searchUnfinishedSplits();
        assertThat(rows.linesOf(TABLE)).isEqualTo(2);
        assertThat(sizes(store)).hasSize(50);
    }

    @Test
    void splitThatCannotBeFinishedBlocksNoVersionedWritesAndReads() {
        store.createTable(TABLE);
        for (int i = 0; i < 10; i++) {
            put(i, 10, 1);
        }
        SplitPlan plan = sealed(5);
        rows.failCopies(_ -> true);
        RangedStore other = open();
        put(1, 11, 2);
        put(7, 17, 2);
        step(store).putIfNewer(new WriteBatch().deleteRange(TABLE, KeyRange.ofKey(key(2))), 3);
        step(store).putIfNewer(new WriteBatch().delete(TABLE, key(3)), 3);
        assertThat(step(store).putThenRead(TABLE, key(20), new byte[20], 4, key(7))).hasSize(17);
        List<Integer> now = new ArrayList<>(List.of(10, 11, 10, 10, 10, 17, 10, 10, 20));
        WriteBatch batch = new WriteBatch();
        for (int i = 0; i < ROWS_OF_MANY_REQUESTS; i++) {
            batch.put(TABLE, key(1_000 + i), new byte[1]);
            now.add(1);
        }
        step(store).putIfNewer(batch, 5);
        assertThat(sizes(other)).isEqualTo(now);
        rows.failCopies(_ -> false);
        new PartitionSplit(rows, LIMITS, partitions::incrementAndGet)
                .finish(plan.replaced().partition());
        assertThat(rows.linesOf(TABLE)).isEqualTo(2);
        assertThat(sizes(other)).isEqualTo(now);
        assertThat(sizes(store)).isEqualTo(now);
    }

    @Test
    void failedSplitIsRetriedUntilItSucceedsAndIsAProblemUntilThen() {
        store.createTable(TABLE);
        byte[] slot = key(1);
        assertThat(step(store).putIfAbsent(TABLE, slot, slot)).isEqualTo(DurableStep.Outcome.DONE);
        sealed(5);
        rows.failCopies(_ -> true);
        RangedStore fresh = open();
        fresh.searchUnfinishedSplits();
        assertThat(fresh.problem()).as("after one failure").isEmpty();
        retry();
        assertThat(fresh.problem()).hasValueSatisfying(why -> assertThat(why).contains(TABLE));
        assertThatThrownBy(() -> step(fresh).putIfAbsent(TABLE, key(2), slot))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        refused -> {
                            assertThat(refused.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                            assertThat(refused).hasMessageContaining("this row cannot be put");
                        });
        assertThat(fresh.get(TABLE, slot)).isEqualTo(slot);
        rows.failCopies(_ -> false);
        retry();
        assertThat(fresh.problem()).isEmpty();
        assertThat(step(fresh).putIfAbsent(TABLE, slot, slot))
                .isEqualTo(DurableStep.Outcome.FENCED);
        assertThat(step(fresh).putIfAbsent(TABLE, key(2), slot))
                .isEqualTo(DurableStep.Outcome.DONE);
    }

    @Test
    void aSplitThatFailsRepeatedlyIsLoggedOnceAsAWarning() {
        List<LogRecord> warnings = new CopyOnWriteArrayList<>();
        Handler handler =
                new Handler() {
                    @Override
                    public void publish(LogRecord one) {
                        if (one.getLevel().equals(Level.WARNING)) {
                            warnings.add(one);
                        }
                    }

                    @Override
                    public void flush() {}

                    @Override
                    public void close() {}
                };
        Logger logger = Logger.getLogger("petrichor.kv.ranges");
        logger.addHandler(handler);
        try {
            store.createTable(TABLE);
            put(1, 10, 1);
            sealed(5);
            rows.failCopies(_ -> true);
            open().searchUnfinishedSplits();
            retry();
            retry();
        } finally {
            logger.removeHandler(handler);
        }
        assertThat(warnings).hasSize(1);
        assertThat(warnings.getFirst().getParameters()[0]).isEqualTo(TABLE);
    }

    @Test
    void otherTablesAndRangesDoNotNoticeASplitThatFails() {
        store.createTable(TABLE);
        store.createTable("others");
        put(1, 10, 1);
        sealed(5);
        rows.failCopies(_ -> true);
        RangedStore fresh = open();
        fresh.searchUnfinishedSplits();
        retry();
        assertThat(step(fresh).putIfAbsent("others", key(1), key(1)))
                .isEqualTo(DurableStep.Outcome.DONE);
        fresh.write(new WriteBatch().put("others", key(2), key(2)));
        fresh.createTable("more");
        assertThat(fresh.tables()).containsExactly("more", "others", TABLE);
        fresh.dropTable(TABLE);
        assertThat(fresh.tables()).containsExactly("more", "others");
        retry();
        assertThat(fresh.problem()).as("after its table was dropped").isEmpty();
    }

    @Test
    void pausesBetweenRetriesGrow() {
        List<Duration> pauses = new ArrayList<>();
        Deque<Runnable> tasks = new ArrayDeque<>();
        store.createTable(TABLE);
        put(1, 10, 1);
        SplitPlan plan = sealed(5);
        rows.failCopies(_ -> true);
        PartitionSplit split = new PartitionSplit(rows, LIMITS, partitions::incrementAndGet);
        SplitRecovery recovery =
                new SplitRecovery(
                        rows,
                        split,
                        (task, after) -> {
                            pauses.add(after);
                            tasks.add(task);
                        },
                        () -> 0);
        assertThatThrownBy(() -> split.finish(plan.replaced().partition()))
                .isInstanceOf(PetrichorException.class);
        for (int i = 0; i < 9; i++) {
            tasks.remove().run();
        }
        assertThat(pauses).isSorted().startsWith(Duration.ofSeconds(1), Duration.ofSeconds(2));
        assertThat(pauses.getLast()).isEqualTo(Duration.ofMinutes(1));
        assertThat(tasks).as("one retry at a time").hasSize(1);
        assertThat(recovery.problem()).isPresent();
    }
}
