package petrichor.kv.ranges;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;

/** Splits that stop halfway, step by step. */
class PartitionSplitTest {
    private static final String TABLE = "rows";
    private static final byte[] KEY = {5};

    /** No request has more than a thousand. */
    private static final int ROWS_OF_MANY_REQUESTS = 2_500;

    /** Runs tasks in the calling thread; delayed tasks never run. */
    static final Background AT_ONCE =
            (task, after) -> {
                if (after.isZero()) {
                    task.run();
                }
            };

    private final HeapRows rows = new HeapRows();
    private final AtomicLong partitions = new AtomicLong(100);
    private final RangedStore one = store();
    private final RangedStore other = store();

    private RangedStore store() {
        return new RangedStore(
                rows,
                RangeLimits.DEFAULT,
                partitions::incrementAndGet,
                bound -> bound - 1,
                AT_ONCE,
                ignored -> {});
    }

    private static WriteBatch put(String value) {
        return new WriteBatch().put(TABLE, KEY, value.getBytes(UTF_8));
    }

    /** The plan of a split in two that has only been sealed. */
    private SplitPlan sealed() {
        RangeEntry line = rows.directory(TABLE).getFirst();
        SplitPlan plan =
                new SplitPlan(
                        TABLE,
                        line,
                        List.of(
                                new RangeEntry(new KeyRange(new byte[0], new byte[] {3}), 1),
                                new RangeEntry(new KeyRange(new byte[] {3}, null), 2)));
        return plan.equals(rows.seal(line.partition(), plan)) ? plan : fail();
    }

    private static SplitPlan fail() {
        throw new AssertionError("it was not open");
    }

    @Test
    void readerWithAnOldDirectoryDoesNotTrustASealedPartition() {
        one.createTable(TABLE);
        one.write(put("old"));
        assertThat(other.get(TABLE, KEY)).isEqualTo("old".getBytes(UTF_8));
        RangedStore late = store();
        RangedStore later = store();
        assertThat(late.get(TABLE, KEY)).isEqualTo("old".getBytes(UTF_8));
        assertThat(later.get(TABLE, KEY)).isEqualTo("old".getBytes(UTF_8));
        SplitPlan plan = sealed();
        for (RangeEntry child : plan.children()) {
            rows.make(child.partition(), PartitionState.NEW);
            rows.open(child.partition());
        }
        // The entries were replaced, but the process stopped before it discarded the sealed
        // partition.
        assertThat(rows.replace(plan)).isTrue();
        store().write(put("new"));
        assertThat(other.get(TABLE, KEY)).isEqualTo("new".getBytes(UTF_8));
        assertThat(late.get(TABLE, List.of(KEY))).containsExactly("new".getBytes(UTF_8));
        assertThat(step(later).read(TABLE, KEY)).isEqualTo("new".getBytes(UTF_8));
    }

    private static DurableStep.ConditionalRow step(RangedStore store) {
        return (DurableStep.ConditionalRow) store.durableStep();
    }

    @Test
    void sealedPartitionIsReadAsLongAsItIsInTheDirectory() {
        one.createTable(TABLE);
        one.write(put("old"));
        sealed();
        assertThat(other.get(TABLE, KEY)).isEqualTo("old".getBytes(UTF_8));
    }

    @Test
    void writerFinishesTheSplitOfAFailedProcess() {
        one.createTable(TABLE);
        one.write(put("old"));
        sealed();
        other.write(put("new"));
        assertThat(rows.linesOf(TABLE)).isEqualTo(2);
        assertThat(one.get(TABLE, KEY)).isEqualTo("new".getBytes(UTF_8));
        assertThat(step(one).putIfAbsent(TABLE, KEY, KEY)).isEqualTo(DurableStep.Outcome.FENCED);
    }

    @Test
    void freeSlotOfASealedPartitionIsFilledInTheOneThatReplacesIt() {
        one.createTable(TABLE);
        one.write(put("old"));
        sealed();
        byte[] slot = {7};
        assertThat(step(one).putIfAbsent(TABLE, slot, KEY)).isEqualTo(DurableStep.Outcome.DONE);
        assertThat(other.get(TABLE, slot)).isEqualTo(KEY);
    }

    @Test
    void changesOfManyRequestsGoToTheReplacementsOfAPartition() {
        one.createTable(TABLE);
        one.write(put("old"));
        sealed();
        WriteBatch batch = new WriteBatch();
        for (int row = 0; row < ROWS_OF_MANY_REQUESTS; row++) {
            batch.put(TABLE, row(row), KEY);
        }
        one.write(batch);
        for (int row = 0; row < ROWS_OF_MANY_REQUESTS; row++) {
            assertThat(other.get(TABLE, row(row))).as("row %d", row).isEqualTo(KEY);
        }
    }

    private static byte[] row(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    @Test
    void tableDroppedDuringASplitStaysDropped() {
        one.createTable(TABLE);
        one.write(put("old"));
        RangeEntry line = rows.directory(TABLE).getFirst();
        sealed();
        one.dropTable(TABLE);
        new PartitionSplit(rows, RangeLimits.DEFAULT, partitions::incrementAndGet)
                .finish(line.partition());
        assertThat(other.tables()).isEmpty();
        other.createTable(TABLE);
        assertThat(other.get(TABLE, KEY)).isNull();
    }

    @Test
    void staleEntriesOfADroppedTableAreDetectedByItsPartitions() {
        one.createTable(TABLE);
        one.write(put("old"));
        RangedStore late = store();
        assertThat(other.get(TABLE, KEY)).isNotNull();
        assertThat(late.get(TABLE, KEY)).isNotNull();
        one.dropTable(TABLE);
        assertThatThrownBy(() -> other.get(TABLE, KEY)).satisfies(PartitionSplitTest::isNotFound);
        assertThatThrownBy(() -> late.write(put("new"))).satisfies(PartitionSplitTest::isNotFound);
    }

    private static void isNotFound(Throwable failure) {
        assertThat(failure)
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        ours -> assertThat(ours.code()).isEqualTo(ErrorCode.NOT_FOUND));
    }

    @Test
    void tableWithAnUnfinishedDropIsRecreated() {
        one.createTable(TABLE);
        one.write(put("old"));
        rows.discard(rows.directory(TABLE).getFirst().partition());
        other.createTable(TABLE);
        assertThat(other.get(TABLE, KEY)).isNull();
        one.write(put("new"));
        assertThat(other.get(TABLE, KEY)).isEqualTo("new".getBytes(UTF_8));
    }
}
