package petrichor.kv.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.bytes;

import java.security.SecureRandom;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;
import petrichor.kv.ranges.PartitionContents;
import petrichor.kv.ranges.PartitionState;
import petrichor.kv.ranges.PartitionedRows.Conditional;
import petrichor.kv.ranges.RangeEntry;
import petrichor.kv.ranges.SplitPlan;

/** The operations that a partition accepts in each of its states, including late ones. */
class PartitionLifeTest {
    private static final int MANY = 1_000;
    private static final byte[] FIRST_KEY = {};

    private static final CassandraRows ROWS =
            CassandraStores.rows(CassandraAddress.of(CassandraServer.shared().newStore()));

    private final SecureRandom random = new SecureRandom();
    private final long partition = random.nextLong();

    @AfterAll
    static void close() {
        ROWS.close();
    }

    private SplitPlan planTo(long child) {
        return new SplitPlan(
                TABLE,
                new RangeEntry(KeyRange.ALL, partition),
                List.of(new RangeEntry(KeyRange.ALL, child)));
    }

    private static PartitionState state(long partition) {
        return ROWS.state(partition).join();
    }

    private static byte @Nullable [] value(long partition, String key) {
        return ROWS.read(partition, List.of(bytes(key))).join().values().getFirst();
    }

    private static List<WriteBatch.Op> put(String key) {
        return new WriteBatch().put(TABLE, bytes(key), bytes("v")).ops();
    }

    @Test
    void statesOnlyAdvanceDespiteLateCalls() {
        assertThat(state(partition)).isEqualTo(PartitionState.GONE);
        ROWS.make(partition, PartitionState.NEW);
        assertThat(state(partition)).isEqualTo(PartitionState.NEW);
        ROWS.open(partition);
        ROWS.make(partition, PartitionState.NEW);
        assertThat(state(partition)).isEqualTo(PartitionState.OPEN);
        assertThat(ROWS.plan(partition)).isNull();
        assertThat(ROWS.seal(partition, planTo(1))).isEqualTo(planTo(1));
        assertThat(ROWS.seal(partition, planTo(2)))
                .as("the first plan stands")
                .isEqualTo(planTo(1));
        ROWS.open(partition);
        ROWS.make(partition, PartitionState.OPEN);
        assertThat(state(partition)).isEqualTo(PartitionState.SEALED);
        ROWS.discard(partition);
        ROWS.make(partition, PartitionState.NEW);
        ROWS.open(partition);
        assertThat(ROWS.seal(partition, planTo(3))).isNull();
        assertThat(state(partition)).isEqualTo(PartitionState.GONE);
    }

    @Test
    void onlyAnOpenPartitionAcceptsUnversionedWrites() {
        ROWS.make(partition, PartitionState.NEW);
        assertRefuses();
        ROWS.open(partition);
        assertThat(ROWS.write(partition, put("written")).join()).isTrue();
        assertThat(ROWS.putIfAbsent(partition, bytes("slot"), bytes("v")).join())
                .isEqualTo(Conditional.DONE);
        ROWS.seal(partition, planTo(1));
        assertRefuses();
        assertThat(value(partition, "written")).isEqualTo(bytes("v"));
        assertThat(value(partition, "slot")).isEqualTo(bytes("v"));
        ROWS.discard(partition);
        assertRefuses();
        assertThat(value(partition, "written")).isNull();
    }

    private void assertRefuses() {
        assertThat(ROWS.write(partition, put("refused")).join()).isFalse();
        assertThat(ROWS.putIfAbsent(partition, bytes("slot"), bytes("other")).join())
                .isEqualTo(Conditional.NOT_OPEN);
        assertThat(value(partition, "refused")).isNull();
    }

    @Test
    void lateCopyRestoresNothing() {
        ROWS.make(partition, PartitionState.OPEN);
        ROWS.write(partition, put("gone")).join();
        PartitionContents contents = ROWS.contents(partition, FIRST_KEY, true, MANY);
        long child = random.nextLong();
        ROWS.make(child, PartitionState.NEW);
        ROWS.copy(child, contents);
        assertThat(value(child, "gone")).isEqualTo(bytes("v"));
        ROWS.open(child);
        ROWS.write(child, new WriteBatch().delete(TABLE, bytes("gone")).ops()).join();
        ROWS.copy(child, contents);
        assertThat(value(child, "gone")).isNull();
    }

    @Test
    void versionedDeletionsAreCopied() {
        ROWS.make(partition, PartitionState.OPEN);
        ROWS.putIfNewer(partition, put("deleted"), 10).join();
        ROWS.putIfNewer(partition, new WriteBatch().delete(TABLE, bytes("deleted")).ops(), 20)
                .join();
        KeyRange range = new KeyRange(bytes("r"), bytes("s"));
        ROWS.putIfNewer(partition, new WriteBatch().deleteRange(TABLE, range).ops(), 20).join();
        long child = random.nextLong();
        ROWS.make(child, PartitionState.NEW);
        ROWS.copy(child, ROWS.contents(partition, FIRST_KEY, true, MANY));
        ROWS.open(child);
        ROWS.putIfNewer(child, put("deleted"), 15).join();
        ROWS.putIfNewer(child, put("r1"), 15).join();
        assertThat(value(child, "deleted")).isNull();
        assertThat(value(child, "r1")).isNull();
        ROWS.putIfNewer(child, put("deleted"), 25).join();
        ROWS.putIfNewer(child, put("r1"), 25).join();
        assertThat(value(child, "deleted")).isEqualTo(bytes("v"));
        assertThat(value(child, "r1")).isEqualTo(bytes("v"));
    }

    @Test
    void directoryEntriesChangeOnlyIfTheExpectedOnesMatch() {
        String table = "lines";
        RangeEntry whole = new RangeEntry(KeyRange.ALL, partition);
        RangeEntry other = new RangeEntry(KeyRange.ALL, partition + 1);
        assertThat(ROWS.enter(table, whole)).isTrue();
        assertThat(ROWS.enter(table, other)).isFalse();
        RangeEntry low = new RangeEntry(new KeyRange(FIRST_KEY, bytes("m")), 1);
        RangeEntry high = new RangeEntry(new KeyRange(bytes("m"), null), 2);
        assertThat(ROWS.replace(new SplitPlan(table, other, List.of(low, high)))).isFalse();
        assertThat(ROWS.replace(new SplitPlan(table, whole, List.of(low, high)))).isTrue();
        assertThat(ROWS.remove(table, List.of(whole))).isFalse();
        assertThat(ROWS.directory(table)).hasSize(2);
        assertThat(ROWS.remove(table, List.of(low, high))).isTrue();
        assertThat(ROWS.directory(table)).isEmpty();
    }
}
