package petrichor.services.queues;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {
    private static RetryPolicy policy(long min, long max, int doublings) {
        return new RetryPolicy(
                OptionalInt.empty(),
                Optional.empty(),
                Duration.ofSeconds(min),
                Duration.ofSeconds(max),
                doublings);
    }

    private static List<Long> seconds(RetryPolicy policy, int retries) {
        return IntStream.rangeClosed(1, retries)
                .mapToObj(retry -> policy.backoff(retry).toSeconds())
                .toList();
    }

    /** The example of App Engine's documentation. */
    @Test
    void doublesThenGrowsLinearlyUpToTheMaximum() {
        assertThat(seconds(policy(10, 300, 3), 8))
                .containsExactly(10L, 20L, 40L, 80L, 160L, 240L, 300L, 300L);
    }

    @Test
    void growsLinearlyWithoutDoublings() {
        assertThat(seconds(policy(10, 200, 0), 4)).containsExactly(10L, 20L, 30L, 40L);
    }

    @Test
    void doesNotOverflow() {
        assertThat(policy(10, 3_600, 5_000).backoff(Integer.MAX_VALUE))
                .isEqualTo(Duration.ofHours(1));
        assertThat(policy(0, 3_600, 16).backoff(1_000_000)).isEqualTo(Duration.ZERO);
    }

    @Test
    void bothLimitsMustBeExceeded() {
        RetryPolicy both =
                new RetryPolicy(
                        OptionalInt.of(2),
                        Optional.of(Duration.ofSeconds(60)),
                        Duration.ZERO,
                        Duration.ofSeconds(1),
                        1);
        assertThat(both.allows(2, Duration.ofDays(1))).isTrue();
        assertThat(both.allows(99, Duration.ofSeconds(60))).isTrue();
        assertThat(both.allows(3, Duration.ofSeconds(61))).isFalse();
        assertThat(RetryPolicy.DEFAULT.allows(1_000_000, Duration.ofDays(1_000))).isTrue();
        RetryPolicy none =
                new RetryPolicy(
                        OptionalInt.of(0),
                        Optional.empty(),
                        Duration.ZERO,
                        Duration.ofSeconds(1),
                        1);
        assertThat(none.allows(1, Duration.ZERO)).isFalse();
    }
}
