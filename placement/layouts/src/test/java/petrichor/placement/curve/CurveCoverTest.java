package petrichor.placement.curve;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import petrichor.placement.curve.CurveCover.Interval;

final class CurveCoverTest {
    private static boolean covers(List<Interval> intervals, long position) {
        return intervals.stream().anyMatch(i -> i.from() <= position && position < i.to());
    }

    @Test
    void coversThePointsOfABoxAndNoOthersIfThereMayBeEnoughIntervals() {
        Random random = new Random(7);
        for (int dimensions = 2; dimensions <= 4; dimensions++) {
            HilbertCurve curve = new HilbertCurve(dimensions, 3);
            for (int round = 0; round < 60; round++) {
                int[] low = new int[dimensions];
                int[] high = new int[dimensions];
                for (int k = 0; k < dimensions; k++) {
                    int one = random.nextInt(8);
                    int other = random.nextInt(8);
                    low[k] = Math.min(one, other);
                    high[k] = Math.max(one, other);
                }
                List<Interval> exact = CurveCover.of(curve, low, high, 10_000);
                int max = 1 + random.nextInt(6);
                List<Interval> few = CurveCover.of(curve, low, high, max);
                assertThat(few).hasSizeLessThanOrEqualTo(max);
                for (int k = 1; k < few.size(); k++) {
                    assertThat(few.get(k).from()).isGreaterThan(few.get(k - 1).to());
                }
                for (int point = 0; point < 1 << (3 * dimensions); point++) {
                    int[] at = new int[dimensions];
                    boolean inside = true;
                    for (int k = 0; k < dimensions; k++) {
                        at[k] = (point >> (3 * k)) & 7;
                        inside &= low[k] <= at[k] && at[k] <= high[k];
                    }
                    long position = curve.index(at);
                    assertThat(covers(exact, position)).isEqualTo(inside);
                    assertThat(covers(few, position) || !inside).isTrue();
                }
            }
        }
    }

    @Test
    void aSlabOfALargeCubeIsCoveredWithLittleWork() {
        HilbertCurve curve = new HilbertCurve(4, 8);
        List<Interval> slab =
                CurveCover.of(curve, new int[] {0, 17, 0, 0}, new int[] {255, 17, 255, 255}, 64);
        assertThat(slab).hasSizeLessThanOrEqualTo(64);
        long positions = slab.stream().mapToLong(i -> i.to() - i.from()).sum();
        assertThat(positions).isLessThan(1L << 30);
    }
}
