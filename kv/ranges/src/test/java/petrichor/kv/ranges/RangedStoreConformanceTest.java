package petrichor.kv.ranges;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.kv.testkit.MetamorphicConformance;
import petrichor.kv.testkit.PlainAppendConformance;
import petrichor.kv.testkit.StoreConformance;

/**
 * Conformance kit over partitions in the heap: in one partition, and in constantly splitting ones.
 */
class RangedStoreConformanceTest {
    private static final RangeLimits TINY = RangeLimits.DEFAULT.withPartitionsOf(16, 4_000, 200);

    @Nested
    class OnePartition extends Form {
        OnePartition() {
            super(RangeLimits.DEFAULT);
        }
    }

    @Nested
    class PartitionsOfFewRows extends Form {
        PartitionsOfFewRows() {
            super(TINY);
        }

        @Test
        void partitionsWereReallySplit() {
            HeapRows rows = new HeapRows();
            try (KeyValueStore store = over(rows, TINY)) {
                store.createTable("rows");
                for (int i = 0; i < 100; i++) {
                    store.write(new WriteBatch().put("rows", new byte[] {(byte) i}, new byte[10]));
                }
                assertThat(rows.linesOf("rows")).isBetween(6L, 30L);
                try (Scan scan =
                        store.scan("rows", KeyRange.ALL, Direction.REVERSE, Integer.MAX_VALUE)) {
                    for (int i = 99; i >= 0; i--) {
                        assertThat(scan.next()).isTrue();
                        assertThat(scan.key()).containsExactly(i);
                    }
                    assertThat(scan.next()).isFalse();
                }
            }
        }
    }

    private static KeyValueStore over(HeapRows rows, RangeLimits limits) {
        SplittableRandom random = new SplittableRandom(1);
        // Splits run on the writing thread, so that they have finished before the next call.
        return new RangedStore(
                rows,
                limits,
                new SecureRandom()::nextLong,
                bound -> random.split().nextLong(bound),
                PartitionSplitTest.AT_ONCE,
                Backoff::real);
    }

    abstract static class Form
            implements StoreConformance, PlainAppendConformance, MetamorphicConformance {
        private static final MemoryOptions REFERENCE =
                MemoryOptions.DEFAULT.withTier(MemoryOptions.Tier.B).withoutViews();

        private final RangeLimits limits;
        private HeapRows rows = new HeapRows();

        Form(RangeLimits limits) {
            this.limits = limits;
        }

        @Override
        public KeyValueStore open() {
            rows = new HeapRows();
            return over(rows, limits);
        }

        @Override
        public KeyValueStore reopen(KeyValueStore store) {
            store.close();
            return over(rows, limits);
        }

        @Override
        public KeyValueStore openReference() {
            return MemoryStore.open(REFERENCE);
        }

        @Override
        public KeyValueStore reopenReference(KeyValueStore reference) {
            return ((MemoryStore) reference).reopen();
        }
    }
}
