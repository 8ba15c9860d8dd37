package petrichor.apps.instances;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

final class RestartPolicyTest {
    private static final Duration NEVER_READY = Duration.ZERO;

    private final RestartPolicy policy =
            new RestartPolicy(
                    Duration.ofSeconds(1), Duration.ofSeconds(60), 0, Duration.ofSeconds(30));
    private final Random random = new Random(7);

    @Test
    void delaysDoubleUpToTheMaximum() {
        List<Long> seconds = new ArrayList<>();
        int failures = 0;
        for (int i = 0; i < 9; i++) {
            RestartPolicy.Restart restart = policy.afterFailure(failures, NEVER_READY, random);
            failures = restart.failures();
            seconds.add(restart.delay().toSeconds());
        }
        assertThat(seconds).containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L, 60L);
        assertThat(failures).isEqualTo(9);
    }

    @Test
    void aHealthyPeriodStartsANewSeries() {
        assertThat(policy.afterFailure(5, Duration.ofSeconds(30), random))
                .isEqualTo(new RestartPolicy.Restart(1, Duration.ofSeconds(1)));
        assertThat(policy.afterFailure(5, Duration.ofMillis(29_999), random).failures())
                .isEqualTo(6);
    }

    @Test
    void jitterSpreadsDelaysAroundTheMean() {
        RestartPolicy jittered =
                new RestartPolicy(
                        Duration.ofSeconds(10), Duration.ofSeconds(60), 0.4, Duration.ZERO);
        List<Long> millis = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            millis.add(jittered.afterFailure(0, NEVER_READY, random).delay().toMillis());
        }
        assertThat(millis).allMatch(each -> each >= 8_000 && each <= 12_000);
        assertThat(millis).anyMatch(each -> each < 8_500).anyMatch(each -> each > 11_500);
    }

    @Test
    void manyFailuresDoNotOverflow() {
        assertThat(policy.afterFailure(1_000_000, NEVER_READY, random).delay())
                .isEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void refusesNonsense() {
        Duration second = Duration.ofSeconds(1);
        assertThatThrownBy(() -> new RestartPolicy(Duration.ZERO, second, 0, second))
                .isInstanceOf(PetrichorException.class);
        assertThatThrownBy(() -> new RestartPolicy(second, Duration.ofMillis(1), 0, second))
                .isInstanceOf(PetrichorException.class);
        assertThatThrownBy(() -> new RestartPolicy(second, second, 1.5, second))
                .isInstanceOf(PetrichorException.class);
        assertThatThrownBy(() -> new RestartPolicy(second, second, Double.NaN, second))
                .isInstanceOf(PetrichorException.class);
    }
}
