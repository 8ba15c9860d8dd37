package petrichor.jobs.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

class PairSortTest {
    /** Replay with -Dseed=. */
    private static final long SEED = Long.getLong("seed", System.nanoTime());

    private final Random random = new Random(SEED);

    @Test
    void prefixesOfEveryDistributionAreSorted() {
        LongUnaryOperator[] shapes = {
            i -> random.nextLong(),
            i -> i,
            i -> -i,
            i -> random.nextInt(3),
            i -> 7,
            i -> random.nextInt(10) == 0 ? random.nextLong() : 0x4142434445464748L,
            i -> 1L << random.nextInt(64),
            i -> (i & 1) == 0 ? Long.MAX_VALUE : Long.MIN_VALUE
        };
        for (int count : new int[] {0, 1, 2, 23, 24, 25, 500, 2048, 2049, 30_000}) {
            for (LongUnaryOperator shape : shapes) {
                sorts(count, shape);
            }
        }
    }

    private static void sorts(int count, LongUnaryOperator shape) {
        long[] pairs = new long[2 * count];
        long[] prefixes = new long[count];
        for (int i = 0; i < count; i++) {
            prefixes[i] = shape.applyAsLong(i);
            pairs[2 * i] = prefixes[i];
            pairs[2 * i + 1] = i;
        }
        PairSort.sort(pairs, 0, count);
        boolean[] seen = new boolean[count];
        for (int i = 0; i < count; i++) {
            int from = (int) pairs[2 * i + 1];
            assertThat(seen[from]).as("seed " + SEED).isFalse();
            seen[from] = true;
            assertThat(pairs[2 * i]).isEqualTo(prefixes[from]);
            if (i > 0) {
                assertThat(Long.compareUnsigned(pairs[2 * i - 2], pairs[2 * i]))
                        .as("seed " + SEED + ", " + count + " pairs, at " + i)
                        .isLessThanOrEqualTo(0);
            }
        }
        assertThat(Arrays.stream(prefixes).count()).isEqualTo(count);
    }
}
