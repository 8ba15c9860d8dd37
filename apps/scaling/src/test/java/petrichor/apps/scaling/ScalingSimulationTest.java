package petrichor.apps.scaling;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import petrichor.apps.manifest.AppYaml;

/** Replays, and properties of policies for random loads. {@code -Dseed=N} replays one of them. */
class ScalingSimulationTest {
    private static final Duration START_UP = Duration.ofMillis(1_500);

    static LongStream seeds() {
        Long seed = Long.getLong("seed");
        return seed == null ? LongStream.range(0, 40) : LongStream.of(seed);
    }

    private static ScalingPolicy policy(String scaling) {
        return ScalingPolicy.of(
                AppYaml.parse("app.yaml", "runtime: python313\n" + scaling).scaling());
    }

    private static LoadTrace trace(String... lines) {
        return LoadTrace.parse("load.csv", List.of(lines));
    }

    private static int instances(SimulationReport.Sample sample) {
        return sample.instances().ready() + sample.instances().starting();
    }

    @Test
    void fromZeroAndBackWithoutLosingARequest() {
        SimulationReport report =
                ScalingSimulation.run(
                        trace("0,0,1s", "10,6000,100ms", "40,0,1s", "41,0,1s"),
                        policy(""),
                        START_UP);
        assertThat(report.requests().arrived()).isEqualTo(6_000);
        assertThat(report.requests().unfinished()).isZero();
        assertThat(report.requests().waited()).isPositive();
        assertThat(report.samples().getFirst().decision().instances()).isZero();
        assertThat(report.samples().getLast().decision().instances()).isZero();
        assertThat(report.requests().pending().max()).isLessThan(Duration.ofSeconds(5));
        assertThat(report.requests().pending().p50()).isZero();
        assertThat(report.requests().pending().p99())
                .isBetween(Duration.ofMillis(1), report.requests().pending().max());
        assertThat(report.usage().instancesMax()).isGreaterThan(2);
    }

    @Test
    void theFirstRequestWaitsForTheStartAlone() {
        SimulationReport report = ScalingSimulation.run(trace("0.4,1,100ms"), policy(""), START_UP);
        assertThat(report.requests().pending().max()).isEqualTo(START_UP);
        assertThat(report.usage().starts()).isEqualTo(1);
    }

    @Test
    void instanceHoursAreThoseOfFixedInstances() {
        SimulationReport report =
                ScalingSimulation.run(
                        trace("0,10,1s", "3300,0,1s"),
                        policy("manual_scaling: {instances: 3}"),
                        START_UP);
        // The cool-down of five minutes follows the trace, whose last line lasts 55 minutes, too.
        assertThat(report.usage().instanceHours()).isEqualTo(3 * (2 * 3_300 + 300) / 3_600.0);
        assertThat(report.usage().instancesMax()).isEqualTo(3);
    }

    @Test
    void tooFewInstancesLetRequestsWait() {
        SimulationReport report =
                ScalingSimulation.run(
                        trace("0,6000,1s", "60,0,1s", "61,0,1s"),
                        policy(
                                "automatic_scaling: {max_instances: 2, max_concurrent_requests:"
                                        + " 10}"),
                        START_UP);
        // 100 requests per second, of which 20 are served.
        assertThat(report.requests().pending().max()).isGreaterThan(Duration.ofSeconds(200));
        assertThat(report.usage().instancesMax()).isEqualTo(2);
        assertThat(report.samples())
                .extracting(sample -> sample.decision().reason())
                .contains(ScalingReason.MAX_INSTANCES);
    }

    @Test
    void basicInstancesStopAfterTheIdleTimeout() {
        SimulationReport report =
                ScalingSimulation.run(
                        trace("0,30,100ms", "1,0,1s", "2,0,1s"),
                        policy("basic_scaling: {max_instances: 2, idle_timeout: 60s}"),
                        START_UP);
        long withInstances = report.samples().stream().filter(each -> instances(each) > 0).count();
        assertThat(withInstances).isBetween(60L, 70L);
        assertThat(report.requests().unfinished()).isZero();
    }

    @Test
    void anInstanceThatStopsEndsWithItsLastRequest() {
        SimulationReport report =
                ScalingSimulation.run(
                        trace("0,36000,100ms", "60,20,100s", "200,0,1s", "201,0,1s"),
                        policy(""),
                        START_UP);
        assertThat(report.samples()).anyMatch(each -> each.instances().draining() > 0);
        assertThat(report.samples().getLast().instances())
                .isEqualTo(new SimulationReport.Instances(0, 0, 0));
        assertThat(report.requests().unfinished()).isZero();
    }

    @Test
    void aReplayIsDeterministic() {
        LoadTrace trace = randomTrace(new Random(7));
        assertThat(ScalingSimulation.run(trace, policy(""), START_UP))
                .isEqualTo(ScalingSimulation.run(trace, policy(""), START_UP));
    }

    private static LoadTrace randomTrace(Random random) {
        List<String> lines = new ArrayList<>();
        int at = 0;
        for (int i = 0; i < 30; i++) {
            int requests = random.nextInt(3) == 0 ? 0 : random.nextInt(1, 2_000);
            lines.add(at + "," + requests + "," + random.nextInt(1, 900) + "ms");
            at += random.nextInt(1, 40);
        }
        lines.add(at + ",0,1s");
        lines.add(at + 1 + ",0,1s");
        return LoadTrace.parse("random.csv", lines);
    }

    private static ScalingPolicy randomPolicy(Random random) {
        int min = random.nextInt(3);
        return policy(
                "automatic_scaling: {min_instances: %d, max_instances: %d, min_idle_instances: %d,"
                                .formatted(min, min + random.nextInt(1, 30), random.nextInt(3))
                        + " max_idle_instances: %d, max_concurrent_requests: %d}"
                                .formatted(random.nextInt(2, 9), random.nextInt(1, 40)));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void boundsHoldAndNoRequestIsLost(long seed) {
        Random random = new Random(seed);
        ScalingPolicy.Automatic policy = (ScalingPolicy.Automatic) randomPolicy(random);
        LoadTrace trace = randomTrace(random);
        SimulationReport report = ScalingSimulation.run(trace, policy, START_UP);
        for (SimulationReport.Sample sample : report.samples()) {
            assertThat(instances(sample))
                    .as("seed %d at %s", seed, sample.at())
                    .isBetween(policy.bounds().min(), policy.bounds().max());
            assertThat(sample.inProgress())
                    .isLessThanOrEqualTo(
                            report.usage().instancesMax() * policy.concurrentRequestsMax());
        }
        long waiting = report.samples().getLast().pending();
        long inProgress = report.samples().getLast().inProgress();
        assertThat(report.requests().unfinished()).isEqualTo(waiting + inProgress);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void withoutLoadTheNumberReachesTheMinimum(long seed) {
        Random random = new Random(seed);
        LoadTrace trace = randomTrace(random);
        SimulationReport report = ScalingSimulation.run(trace, policy(""), START_UP);
        assertThat(report.requests().unfinished()).isZero();
        assertThat(instances(report.samples().getLast())).isZero();
    }

    /** Arrivals at random times have bursts; those of a trace are even. */
    @ParameterizedTest
    @MethodSource("seeds")
    void aConstantLoadDoesNotOscillate(long seed) {
        Random random = new Random(seed);
        int perMinute = random.nextInt(60, 6_000);
        List<String> lines = new ArrayList<>();
        int millis = random.nextInt(20, 2_000);
        for (int minute = 0; minute < 15; minute++) {
            lines.add(minute * 60 + "," + perMinute + "," + millis + "ms");
        }
        SimulationReport report =
                ScalingSimulation.run(LoadTrace.parse("constant.csv", lines), policy(""), START_UP);
        List<Integer> numbers =
                report.samples().stream()
                        .filter(each -> each.at().compareTo(Duration.ofMinutes(5)) >= 0)
                        .filter(each -> each.at().compareTo(Duration.ofMinutes(15)) < 0)
                        .map(ScalingSimulationTest::instances)
                        .toList();
        assertThat(numbers).hasSize(600);
        assertThat(numbers).as("seed %d", seed).containsOnly(numbers.getFirst());
        double needed = perMinute / 60.0 * millis / 1_000 / 6;
        assertThat(numbers.getFirst())
                .isBetween((int) Math.ceil(needed * 0.99), (int) Math.ceil(needed * 1.1) + 1);
    }

    /** On average exactly two instances are needed, and in most seconds one more or less. */
    @ParameterizedTest
    @MethodSource("seeds")
    void aLoadAtTheLimitOfAnInstanceDoesNotOscillate(long seed) {
        Random random = new Random(seed);
        List<String> lines = new ArrayList<>();
        for (int second = 0; second < 900; second++) {
            lines.add(second + "," + (24 + random.nextInt(-6, 7)) + ",500ms");
        }
        SimulationReport report =
                ScalingSimulation.run(LoadTrace.parse("limit.csv", lines), policy(""), START_UP);
        List<Integer> numbers =
                report.samples().stream()
                        .filter(each -> each.at().compareTo(Duration.ofMinutes(2)) >= 0)
                        .filter(each -> each.at().compareTo(Duration.ofMinutes(15)) < 0)
                        .map(ScalingSimulationTest::instances)
                        .toList();
        int changes = 0;
        for (int i = 1; i < numbers.size(); i++) {
            changes += numbers.get(i).equals(numbers.get(i - 1)) ? 0 : 1;
        }
        assertThat(numbers).as("seed %d", seed).containsAnyOf(2, 3);
        assertThat(changes).as("seed %d: %s", seed, numbers).isLessThanOrEqualTo(1);
    }

    /** Observations that no simulation would make. */
    @ParameterizedTest
    @MethodSource("seeds")
    void decisionsStayWithinBoundsForAnyObservation(long seed) {
        Random random = new Random(seed);
        ScalingPolicy.Automatic policy = (ScalingPolicy.Automatic) randomPolicy(random);
        Instant now = Instant.EPOCH;
        Autoscaler autoscaler = new Autoscaler(policy, now, random.nextInt(50));
        for (int i = 0; i < 500; i++) {
            now = now.plusMillis(random.nextInt(4) == 0 ? random.nextInt(200_000) : 1_000);
            int pending = random.nextBoolean() ? 0 : random.nextInt(1_000_000);
            Decision decision =
                    autoscaler.decide(
                            new LoadObservation(
                                    now,
                                    Collections.nCopies(
                                            random.nextInt(40), random.nextDouble() * 1e6),
                                    random.nextInt(10),
                                    new LoadObservation.Pending(
                                            pending, Duration.ofMillis(random.nextInt(20_000))),
                                    random.nextBoolean() ? 0 : Integer.MAX_VALUE));
            assertThat(decision.instances())
                    .as("seed %d: %s", seed, decision.explanation())
                    .isBetween(policy.bounds().min(), policy.bounds().max());
        }
    }
}
