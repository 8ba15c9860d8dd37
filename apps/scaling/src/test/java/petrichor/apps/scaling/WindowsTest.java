package petrichor.apps.scaling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WindowsTest {
    private static final Instant START = Instant.ofEpochSecond(1_000_003);

    private static Instant second(double second) {
        return START.plusMillis(Math.round(second * 1_000));
    }

    @ParameterizedTest
    @CsvSource({"100, 0.2", "60, 0.2", "40, 0.20567", "6, 0.78456"})
    void theWeightFollowsFromTheLength(int buckets, double weight) {
        assertThat(BucketWindow.smoothing(buckets)).isEqualTo(weight, within(1e-5));
    }

    @Test
    void averagesOverTheTimeSinceTheFirstValue() {
        BucketWindow window = new BucketWindow(Duration.ofSeconds(5));
        assertThat(window.average(second(0))).isZero();
        window.record(second(0), 1);
        assertThat(window.average(second(0))).isEqualTo(1);
        for (int i = 1; i < 5; i++) {
            window.record(second(i), i + 1);
        }
        assertThat(window.average(second(4))).isEqualTo(3);
        assertThat(window.average(second(4.9))).isEqualTo(3);
        // Two seconds without values: the oldest two buckets have left the window.
        assertThat(window.average(second(6))).isEqualTo(4);
        assertThat(window.average(second(10))).isZero();
    }

    /** Otherwise a constant load at a limit would need one more instance now and then. */
    @Test
    void averagesHaveNoRoundingErrors() {
        BucketWindow window = new BucketWindow(Duration.ofSeconds(10));
        for (int i = 0; i < 10; i++) {
            window.record(second(i), 0.1);
        }
        assertThat(window.average(second(9))).isEqualTo(0.1);
    }

    @Test
    void oldValuesLeaveTheWindow() {
        BucketWindow window = new BucketWindow(Duration.ofSeconds(3));
        for (int i = 0; i < 10; i++) {
            window.record(second(i), i);
        }
        assertThat(window.average(second(9))).isEqualTo(8);
        window.record(second(60), 5);
        assertThat(window.average(second(60))).isEqualTo(5);
    }

    @Test
    void aValueAlsoFillsTheSecondsBeforeIt() {
        BucketWindow window = new BucketWindow(Duration.ofSeconds(10));
        window.record(second(0), 0);
        window.record(second(4), 5);
        assertThat(window.average(second(4))).isEqualTo(4);
    }

    @Test
    void aBucketHasTheMeanOfItsValues() {
        BucketWindow window = new BucketWindow(Duration.ofSeconds(10));
        window.record(second(0), 2);
        window.record(second(0.3), 4);
        window.record(second(0.9), 6);
        window.record(second(1), 8);
        assertThat(window.average(second(1))).isEqualTo(6);
    }

    @Test
    void weightsDecayWithAge() {
        BucketWindow window = new BucketWindow(Duration.ofSeconds(5));
        double weight = BucketWindow.smoothing(5);
        window.record(second(0), 2);
        assertThat(window.weightedAverage(second(0))).isEqualTo(2 * weight, within(1e-6));
        assertThat(window.weightedAverage(second(1)))
                .isEqualTo(2 * weight * (1 - weight), within(1e-6));
        for (int i = 1; i < 6; i++) {
            window.record(second(i), i + 1);
        }
        double expected = 0;
        for (int i = 0; i < 5; i++) {
            expected += (6 - i) * weight * Math.pow(1 - weight, i);
        }
        assertThat(window.weightedAverage(second(5))).isEqualTo(expected, within(1e-6));
        assertThat(window.weightedAverage(second(16))).isZero();
    }

    @Test
    void theMaximumIsThatOfTheWindow() {
        MaxWindow window = new MaxWindow(Duration.ofMinutes(5));
        assertThat(window.record(second(0), 4)).isEqualTo(4);
        assertThat(window.record(second(60), 3)).isEqualTo(4);
        assertThat(window.record(second(120), 0)).isEqualTo(4);
        assertThat(window.record(second(299), 0)).isEqualTo(4);
        assertThat(window.record(second(300), 0)).isEqualTo(3);
        assertThat(window.record(second(360), 0)).isZero();
    }

    @Test
    void theMaximumIsThatOfAPlainSearch() {
        Random random = new Random(Long.getLong("seed", 15));
        MaxWindow window = new MaxWindow(Duration.ofSeconds(7));
        List<int[]> all = new ArrayList<>();
        int at = 0;
        for (int i = 0; i < 2_000; i++) {
            at += random.nextInt(3);
            int value = random.nextInt(10);
            all.add(new int[] {at, value});
            int now = at;
            int expected =
                    all.stream()
                            .filter(each -> each[0] > now - 7)
                            .mapToInt(each -> each[1])
                            .max()
                            .orElseThrow();
            assertThat(window.record(second(at), value)).isEqualTo(expected);
        }
    }
}
