package petrichor.placement.curve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.davidmoten.hilbert.SmallHilbertCurve;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petrichor.base.PetrichorException;

class HilbertCurveTest {
    @ParameterizedTest
    @CsvSource({"2,1", "2,5", "2,16", "3,4", "3,10", "4,8", "4,15"})
    void agreesWithAnotherImplementation(int dimensions, int bits) {
        HilbertCurve ours = new HilbertCurve(dimensions, bits);
        SmallHilbertCurve other =
                org.davidmoten.hilbert.HilbertCurve.small().bits(bits).dimensions(dimensions);
        SplittableRandom random = new SplittableRandom(bits);
        for (int k = 0; k < 2_000; k++) {
            int[] point = random.ints(dimensions, 0, 1 << bits).toArray();
            long[] wide = new long[dimensions];
            for (int d = 0; d < dimensions; d++) {
                wide[d] = point[d];
            }
            assertThat(ours.index(point)).isEqualTo(other.index(wide));
        }
    }

    @Test
    void neighboursOnTheCurveAreNeighboursInTheCube() {
        HilbertCurve curve = new HilbertCurve(3, 3);
        int[][] points = new int[512][];
        for (int x = 0; x < 8; x++) {
            for (int y = 0; y < 8; y++) {
                for (int z = 0; z < 8; z++) {
                    points[(int) curve.index(x, y, z)] = new int[] {x, y, z};
                }
            }
        }
        assertThat(Arrays.asList(points)).doesNotContainNull();
        for (int k = 1; k < points.length; k++) {
            int distance = 0;
            for (int d = 0; d < 3; d++) {
                distance += Math.abs(points[k][d] - points[k - 1][d]);
            }
            assertThat(distance).isOne();
        }
    }

    @Test
    void rejectsWhatDoesNotFit() {
        assertThatThrownBy(() -> new HilbertCurve(1, 8)).isInstanceOf(PetrichorException.class);
        assertThatThrownBy(() -> new HilbertCurve(4, 16)).isInstanceOf(PetrichorException.class);
        HilbertCurve curve = new HilbertCurve(2, 4);
        assertThatThrownBy(() -> curve.index(16, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> curve.index(-1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> curve.index(1, 2, 3)).isInstanceOf(IllegalArgumentException.class);
    }
}
