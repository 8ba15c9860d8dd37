package petrichor.bench.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

final class LatenciesTest {
    @Test
    void percentilesAreWithinThreePercent() {
        Latencies latencies = new Latencies();
        for (long micros = 1; micros <= 10_000; micros++) {
            latencies.add(micros * 1_000);
        }
        assertThat(latencies.count()).isEqualTo(10_000);
        assertThat(latencies.micros(0.5)).isCloseTo(5_000, within(5_000 * 0.032));
        assertThat(latencies.micros(0.99)).isCloseTo(9_900, within(9_900 * 0.032));
        assertThat(latencies.micros(0.0001)).isCloseTo(1, within(0.032));
        assertThat(latencies.meanMicros()).isCloseTo(5_000.5, within(0.01));
        assertThat(latencies.longestMicros()).isEqualTo(10_000);
    }

    @Test
    void mergedHistogramsEqualASingleOne() {
        Latencies all = new Latencies();
        Latencies even = new Latencies();
        Latencies odd = new Latencies();
        for (long nanos = 0; nanos < 5_000_000; nanos += 777) {
            all.add(nanos);
            (nanos % 2 == 0 ? even : odd).add(nanos);
        }
        even.add(odd);
        assertThat(even.distribution()).isEqualTo(all.distribution());
        assertThat(even.meanMicros()).isEqualTo(all.meanMicros());
    }

    @Test
    void theDistributionRisesToOne() {
        Latencies latencies = new Latencies();
        latencies.add(3);
        latencies.add(70_000);
        latencies.add(Long.MAX_VALUE);
        List<Latencies.Share> points = latencies.distribution();
        assertThat(points).extracting(Latencies.Share::micros).isSorted();
        assertThat(points).extracting(Latencies.Share::share).isSorted();
        assertThat(points.getFirst()).isEqualTo(new Latencies.Share(0.003, 1 / 3.0));
        assertThat(points.getLast().share()).isEqualTo(1);
    }

    @Test
    void noSamplesGiveNoPercentiles() {
        Latencies none = new Latencies();
        assertThat(none.micros(0.5)).isZero();
        assertThat(none.meanMicros()).isZero();
        assertThat(none.distribution()).isEmpty();
    }
}
