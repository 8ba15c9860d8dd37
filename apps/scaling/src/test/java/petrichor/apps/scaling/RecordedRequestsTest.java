package petrichor.apps.scaling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordedRequestsTest {
    private static String line(String time, String version, int latency, int pending) {
        return """
        {"time":"2026-11-28T10:00:%sZ","trace":"t","app":"shop","service":"default",\
        "version":"%s","instance":"i1","path":"/","status":200,"latency_us":%d,"pending_us":%d}\
        """
                .formatted(time, version, latency, pending);
    }

    private static final String FILE =
            """
            {"time":"2026-11-28T10:00:00Z","app":"shop","service":"default","version":"v1",\
            "latency_us":9,"pending_us":0}\
            """;

    private static final String UNKNOWN_HOST =
            "{\"time\":\"2026-11-28T10:00:00Z\",\"latency_us\":9,\"pending_us\":0}";

    private static RecordedRequests parse(Optional<String> version, String... lines) {
        return RecordedRequests.parse("log", Stream.of(lines), version);
    }

    @Test
    void aRequestArrivesWhenItDidAndTakesItsLatencyWithoutItsWait() {
        RecordedRequests recorded =
                parse(
                        Optional.empty(),
                        line("03.500", "v1", 250_000, 0),
                        line("01.000", "v1", 900_000, 800_000),
                        "",
                        FILE,
                        UNKNOWN_HOST);
        assertThat(recorded.version()).isEqualTo("shop/default/v1");
        assertThat(recorded.otherRequests()).isEqualTo(1);
        assertThat(recorded.trace().steps())
                .extracting(LoadTrace.Step::start)
                .containsExactly(Duration.ZERO, Duration.ofMillis(2_500));
        assertThat(recorded.trace().steps())
                .extracting(LoadTrace.Step::each)
                .containsExactly(Duration.ofMillis(100), Duration.ofMillis(250));
        assertThat(recorded.trace().steps()).extracting(LoadTrace.Step::requests).containsOnly(1);
    }

    @Test
    void oneVersionIsReplayed() {
        String[] lines = {line("01", "v1", 1, 0), line("02", "v2", 1, 0), line("03", "v2", 1, 0)};
        assertThat(parse(Optional.of("shop/default/v2"), lines).trace().steps()).hasSize(2);
        assertThatThrownBy(() -> parse(Optional.empty(), lines))
                .hasMessageContaining("shop/default/v1, shop/default/v2");
        assertThatThrownBy(() -> parse(Optional.of("shop/default/v3"), lines))
                .hasMessage("log has no request of shop/default/v3.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"app\":\"a\",\"service\":\"s\",\"version\":\"v\",\"instance\":\"i\"}",
                "{\"app\":\"a\",\"service\":\"s\",\"version\":\"v\",\"instance\":\"i\","
                        + "\"time\":\"noon\",\"latency_us\":1,\"pending_us\":0}",
                "{\"app\":",
                "[]"
            })
    void errorsNameTheLine(String line) {
        assertThatThrownBy(() -> parse(Optional.empty(), line("01", "v1", 1, 0), line))
                .hasMessageStartingWith("log:2 is not a line of a request log");
    }
}
