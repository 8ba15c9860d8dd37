package petrichor.kv.ranges;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;

/** Splits that stop half way, step by step. */
class PartitionSplitTest {
    private static final String TABLE = "rows";
    private static final byte[] KEY = {5};

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
                Runnable::run,
                null,
                ignored -> {});
    }

    private static WriteBatch put(String value) {
        return new WriteBatch().put(TABLE, KEY, value.getBytes(UTF_8));
    }

    /** The plan of a split in two, sealed and nothing more. */
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
    void readerWithAnOldDirectoryDoesNotBelieveASealedPartition() {
        one.createTable(TABLE);
        one.write(put("old"));
        assertThat(other.get(TABLE, KEY)).isEqualTo("old".getBytes(UTF_8));
        SplitPlan plan = sealed();
        for (RangeEntry child : plan.children()) {
            rows.make(child.partition(), PartitionState.NEW);
            rows.open(child.partition());
        }
        // Exchanged, and whoever did it stopped before it discarded the sealed one.
        assertThat(rows.replace(plan)).isTrue();
        store().write(put("new"));
        assertThat(other.get(TABLE, KEY)).isEqualTo("new".getBytes(UTF_8));
        assertThat(other.get(TABLE, List.of(KEY))).containsExactly("new".getBytes(UTF_8));
    }

    @Test
    void sealedPartitionIsReadAsLongAsItsLineStands() {
        one.createTable(TABLE);
        one.write(put("old"));
        sealed();
        assertThat(other.get(TABLE, KEY)).isEqualTo("old".getBytes(UTF_8));
    }

    @Test
    void writerFinishesTheSplitOfSomebodyWhoIsGone() {
        one.createTable(TABLE);
        one.write(put("old"));
        sealed();
        other.write(put("new"));
        assertThat(rows.linesOf(TABLE)).isEqualTo(2);
        assertThat(one.get(TABLE, KEY)).isEqualTo("new".getBytes(UTF_8));
        var step = (DurableStep.ConditionalRow) one.durableStep();
        assertThat(step.putIfAbsent(TABLE, KEY, KEY)).isEqualTo(DurableStep.Outcome.FENCED);
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
}
