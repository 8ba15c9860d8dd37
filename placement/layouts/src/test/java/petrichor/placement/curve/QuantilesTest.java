package petrichor.placement.curve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

class QuantilesTest {
    @Test
    void bucketsHoldEquallyManyOfSkewedValues() {
        SplittableRandom random = new SplittableRandom(1);
        double[] sample = random.doubles(16_000).map(value -> Math.exp(20 * value)).toArray();
        Quantiles quantiles = Quantiles.of(sample, 4);
        int[] counts = new int[16];
        for (double value : sample) {
            counts[quantiles.bucket(value)]++;
        }
        assertThat(IntStream.of(counts)).allMatch(count -> count == 1000);
    }

    @Test
    void keepTheOrder() {
        Quantiles quantiles = Quantiles.of(new double[] {3, 1, 4, 1, 5, 9, 2, 6}, 3);
        assertThat(quantiles.bucket(-1)).isZero();
        for (int value = 0; value < 10; value++) {
            assertThat(quantiles.bucket(value)).isLessThanOrEqualTo(quantiles.bucket(value + 1));
        }
        assertThat(quantiles.bucket(100)).isEqualTo(7);
    }

    @Test
    void needValues() {
        assertThatThrownBy(() -> Quantiles.of(new double[0], 4))
                .isInstanceOf(PetrichorException.class);
        assertThatThrownBy(() -> Quantiles.of(new double[] {1}, 17))
                .isInstanceOf(PetrichorException.class);
    }

    @Test
    void countsAreASampleOfSmallNumbers() {
        long[] counts = {0, 5, 1, 0, 40, 2, 7, 1, 0};
        double[] sample =
                IntStream.range(0, counts.length)
                        .flatMap(value -> IntStream.generate(() -> value).limit(counts[value]))
                        .asDoubleStream()
                        .toArray();
        Quantiles ofSample = Quantiles.of(sample, 3);
        Quantiles ofCounts = Quantiles.ofCounts(counts, 3);
        for (int value = 0; value < counts.length; value++) {
            assertThat(ofCounts.bucket(value)).isEqualTo(ofSample.bucket(value));
        }
    }
}
