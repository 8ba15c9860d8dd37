package petrichor.apps.scaling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadTraceTest {
    @Test
    void aLineLastsUntilTheNext() {
        LoadTrace trace =
                LoadTrace.parse(
                        "load.csv",
                        List.of(
                                "time,requests,duration",
                                "# day",
                                "",
                                "0,4,250ms",
                                "2.5, 0, 1s",
                                "4,1,0.5"));
        assertThat(trace.steps())
                .containsExactly(
                        new LoadTrace.Step(
                                Duration.ZERO, Duration.ofMillis(2_500), 4, Duration.ofMillis(250)),
                        new LoadTrace.Step(
                                Duration.ofMillis(2_500),
                                Duration.ofMillis(1_500),
                                0,
                                Duration.ofSeconds(1)),
                        new LoadTrace.Step(
                                Duration.ofSeconds(4),
                                Duration.ofMillis(1_500),
                                1,
                                Duration.ofMillis(500)));
        assertThat(trace.end()).isEqualTo(Duration.ofMillis(5_500));
        assertThat(trace.steps().getFirst().arrival(0)).isEqualTo(Duration.ZERO);
        assertThat(trace.steps().getFirst().arrival(3)).isEqualTo(Duration.ofMillis(1_875));
    }

    @Test
    void concurrencyIsTheRateTimesTheDuration() {
        LoadTrace trace =
                LoadTrace.parse(
                        "load.csv",
                        List.of("time,concurrency,duration", "0,7.5,250ms", "10,2,4s", "12,0,1s"));
        assertThat(trace.steps())
                .extracting(LoadTrace.Step::requests)
                .as("30 per second, 0.5 per second, none")
                .containsExactly(300, 1, 0);
    }

    @Test
    void anEmptyTraceHasNoLoad() {
        assertThat(LoadTrace.parse("load.csv", List.of()).end()).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0,1 | load.csv:1 is not valid: write time,requests,duration",
                "0,1,1;0,1,1 | load.csv:2 is not valid: the time is not after",
                "0,1,1;time,requests,duration | load.csv:2 is not valid",
                "0,-1,1 | load.csv:1 is not valid",
                "0,1,1m | load.csv:1 is not valid",
                "0,1.5,1 | load.csv:1 is not valid: write time,requests,duration",
                "time,concurrency,duration;0,1,0 | load.csv:2 is not valid: with concurrency",
                "time,concurrency,duration;0,1 | load.csv:2 is not valid: write time,concurrency",
                "0,1,86401 | out of range",
                "700000,1,1 | out of range",
            })
    void errorsNameTheLine(String lines, String error) {
        assertThatThrownBy(() -> LoadTrace.parse("load.csv", List.of(lines.split(";"))))
                .hasMessageContaining(error);
    }

    @Test
    void theNumberOfRequestsIsLimited() {
        LoadTrace.Step most =
                new LoadTrace.Step(
                        Duration.ZERO,
                        Duration.ofSeconds(1),
                        (int) LoadTrace.REQUESTS_MAX,
                        Duration.ZERO);
        assertThat(new LoadTrace(List.of(most)).steps()).hasSize(1);
        assertThatThrownBy(() -> new LoadTrace(Collections.nCopies(2, most)))
                .hasMessageContaining("20000000 requests");
    }
}
