package petrichor.apps.scaling;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares {@link PanicMode} with decisions of Knative's autoscaler. */
class KnativeDecisionsTest {
    static Stream<String> cases() throws IOException {
        try (var stream = KnativeDecisionsTest.class.getResourceAsStream("knative.csv")) {
            String text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            List<String> cases = text.lines().filter(line -> !line.startsWith("#")).toList();
            assertThat(cases).hasSizeGreaterThan(20);
            return cases.stream();
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void decidesAsKnative(String line) {
        String[] cells = line.split(",", -1);
        double target = Double.parseDouble(cells[2]);
        ScalingPolicy.Reaction standard = ScalingPolicy.Reaction.DEFAULT;
        ScalingPolicy.Reaction reaction =
                new ScalingPolicy.Reaction(
                        standard.windows(),
                        standard.panicThreshold(),
                        new ScalingPolicy.Rates(
                                Double.parseDouble(cells[3]), Double.parseDouble(cells[4])),
                        0,
                        Duration.ZERO);
        PanicMode mode = new PanicMode(Instant.EPOCH, Integer.parseInt(cells[1]));
        for (String observation : cells[5].split(" ", -1)) {
            String[] parts = observation.split("[:/=]", -1);
            PanicMode.Instances found =
                    mode.next(
                            Instant.ofEpochSecond(Long.parseLong(parts[0])),
                            Integer.parseInt(parts[1]),
                            new Decision.Load(
                                    Double.parseDouble(parts[2]),
                                    Double.parseDouble(parts[3]),
                                    target),
                            reaction);
            assertThat(found.instances() + (mode.isPanicking() ? "P" : ""))
                    .as(observation)
                    .isEqualTo(parts[4]);
        }
    }
}
