package petrichor.transactions.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ApplyPaceTest {
    private static final long MIB = 1L << 20;

    /**
     * The cost model of a store.
     *
     * @param perRow nanoseconds
     * @param perByte nanoseconds
     */
    private record Store(long perRow, long perByte) {
        /** 3 ms per row of any size: DynamoDB Local. */
        static final Store SLOW = new Store(3_000_000, 5);

        /** 50,000 rows or 100 MB per second. */
        static final Store FAST = new Store(20_000, 10);

        long nanos(long rows, long bytes) {
            return rows * perRow + bytes * perByte;
        }
    }

    private final ApplyPace pace = new ApplyPace();
    private final SplittableRandom chance = new SplittableRandom(4711);

    /** Applies pieces of small rows and of large values in turn. */
    private void learn(Store store) {
        for (int i = 0; i < 200; i++) {
            long rows = chance.nextInt(1, 500);
            long bytes = rows * (long) Math.pow(10, chance.nextDouble(1, 5));
            apply(store, rows, bytes);
        }
    }

    private void apply(Store store, long rows, long bytes) {
        pace.applied(rows, bytes, store.nanos(rows, bytes));
    }

    private void expect(Store store, long rows, long bytes) {
        double real = store.nanos(rows, bytes);
        assertThat(pace.expectedTime(rows, bytes).toNanos() / real)
                .as("%,d rows of %,d bytes", rows, bytes)
                .isBetween(0.4, 2.5);
    }

    @Test
    void timesOfSmallRowsAndOfLargeValuesAreBothLearned() {
        for (Store store : List.of(Store.SLOW, Store.FAST, Store.SLOW)) {
            learn(store);
            expect(store, 1_300, 130_000);
            expect(store, 50, 10 * MIB);
        }
    }

    @Test
    void largeValuesDoNotHideThatRowsAreSlow() {
        learn(Store.SLOW);
        for (int i = 0; i < 100; i++) {
            apply(Store.SLOW, 2, MIB);
        }
        assertThat(pace.expectedTime(1_500, 150_000)).isGreaterThan(Duration.ofSeconds(1));
        assertThat(pace.fillsPiece(1_500, 150_000)).isTrue();
    }

    @Test
    void anUnknownStoreIsAssumedToBeOrdinary() {
        assertThat(pace.expectedTime(1_000, 0)).isEqualTo(Duration.ofSeconds(1));
        assertThat(pace.fillsPiece(900, 0)).isFalse();
        assertThat(pace.fillsPiece(0, 4 * MIB)).isTrue();
    }

    @Test
    void aStoreThatBecomesSlowIsNoticedSoon() {
        learn(Store.FAST);
        assertThat(pace.fillsPiece(1_000, 100_000)).isFalse();
        for (int i = 0; i < 20; i++) {
            apply(Store.SLOW, 300, 30_000);
        }
        assertThat(pace.fillsPiece(1_000, 100_000)).isTrue();
    }

    @Test
    void oneOutlierDoesNotStopAStore() {
        learn(Store.FAST);
        pace.applied(1, 1, Duration.ofMinutes(1).toNanos());
        assertThat(pace.expectedTime(5_000, 500_000)).isLessThan(Duration.ofSeconds(1));
        pace.applied(0, 0, 1);
        for (int i = 0; i < 100; i++) {
            pace.applied(1_000, MIB, 0);
        }
        assertThat(pace.expectedTime(1_000, MIB)).isGreaterThan(Duration.ZERO);
    }
}
