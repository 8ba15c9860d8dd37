package petrichor.apps.scaling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.apps.manifest.AppYaml;

class AutoscalerTest {
    private int second;

    private static ScalingPolicy policy(String scaling) {
        return ScalingPolicy.of(
                AppYaml.parse("app.yaml", "runtime: python313\n" + scaling).scaling());
    }

    private static ScalingPolicy automatic(String fields) {
        return policy("automatic_scaling: {" + fields + "}");
    }

    private Autoscaler autoscaler(ScalingPolicy policy, int ready) {
        return new Autoscaler(policy, Instant.ofEpochSecond(second), ready);
    }

    /** An observation a second after the previous one. */
    private LoadObservation load(int ready, double concurrency, int pending, int backlog) {
        second++;
        return new LoadObservation(
                Instant.ofEpochSecond(second),
                Collections.nCopies(ready, concurrency),
                0,
                new LoadObservation.Pending(pending, Duration.ofMillis(pending == 0 ? 0 : 50)),
                backlog);
    }

    private LoadObservation waiting(int ready, int starting, int pending, Duration latency) {
        second++;
        return new LoadObservation(
                Instant.ofEpochSecond(second),
                Collections.nCopies(ready, 6.0),
                starting,
                new LoadObservation.Pending(pending, latency),
                0);
    }

    private static void expect(Decision decision, int instances, ScalingReason reason) {
        assertThat(decision.instances()).as(decision.explanation()).isEqualTo(instances);
        assertThat(decision.reason()).as(decision.explanation()).isEqualTo(reason);
    }

    @Test
    void aRequestStartsTheFirstInstance() {
        Autoscaler autoscaler = autoscaler(automatic(""), 0);
        expect(autoscaler.decide(load(0, 0, 0, 0)), 0, ScalingReason.NO_LOAD);
        assertThat(autoscaler.decide(load(0, 0, 1, 0)).instances()).isEqualTo(1);
    }

    @Test
    void instancesFollowTheAverageLoad() {
        Autoscaler autoscaler = autoscaler(automatic("max_concurrent_requests: 10"), 1);
        for (int i = 0; i < 60; i++) {
            autoscaler.decide(load(3, 5, 0, 0));
        }
        expect(autoscaler.decide(load(3, 5, 0, 0)), 3, ScalingReason.STABLE_WINDOW);
        for (int i = 0; i < 60; i++) {
            autoscaler.decide(load(3, 7, 0, 0));
        }
        expect(autoscaler.decide(load(3, 7, 0, 0)), 4, ScalingReason.STABLE_WINDOW);
    }

    @Test
    void aSurgeIsFollowedAtOnceAndHeldForTheStableWindow() {
        Autoscaler autoscaler = autoscaler(automatic(""), 1);
        for (int i = 0; i < 60; i++) {
            autoscaler.decide(load(1, 1, 0, 0));
        }
        for (int i = 0; i < 5; i++) {
            autoscaler.decide(load(1, 60, 0, 0));
        }
        Decision surge = autoscaler.decide(load(1, 60, 0, 0));
        expect(surge, 10, ScalingReason.PANIC_WINDOW);
        for (int i = 0; i < 59; i++) {
            assertThat(autoscaler.decide(load(10, 0.1, 0, 0)).instances()).isEqualTo(10);
        }
        expect(autoscaler.decide(load(10, 0.1, 0, 0)), 10, ScalingReason.PANIC_HOLD);
        for (int i = 0; i < 10; i++) {
            autoscaler.decide(load(10, 0.1, 0, 0));
        }
        expect(autoscaler.decide(load(10, 0.1, 0, 0)), 5, ScalingReason.DOWN_RATE);
    }

    @Test
    void theMaximumOfIdleInstancesDoesNotEndASurge() {
        Autoscaler autoscaler = autoscaler(automatic("max_idle_instances: 1"), 1);
        assertThat(autoscaler.decide(load(1, 60, 0, 0)).instances()).isEqualTo(10);
        for (int i = 0; i < 30; i++) {
            expect(autoscaler.decide(load(10, 0.1, 0, 0)), 10, ScalingReason.PANIC_HOLD);
        }
    }

    @Test
    void longWaitsStartInstancesForAllRequestsThatWait() {
        Autoscaler autoscaler =
                autoscaler(automatic("max_pending_latency: 2s, max_concurrent_requests: 10"), 1);
        for (int i = 0; i < 60; i++) {
            autoscaler.decide(load(2, 5, 0, 0));
        }
        Decision below = autoscaler.decide(waiting(2, 0, 25, Duration.ofMillis(1_999)));
        assertThat(below.instances()).isEqualTo(2);
        Decision above = autoscaler.decide(waiting(2, 0, 25, Duration.ofSeconds(2)));
        expect(above, 5, ScalingReason.PENDING_LATENCY);
        // Those that start are for the same requests.
        Decision starting = autoscaler.decide(waiting(2, 3, 25, Duration.ofSeconds(3)));
        assertThat(starting.instances()).isEqualTo(5);
        // They are not stopped as soon as no request waits.
        expect(autoscaler.decide(load(5, 2, 0, 0)), 5, ScalingReason.PENDING_LATENCY);
    }

    @Test
    void shortWaitsAreNoLoad() {
        Autoscaler patient =
                autoscaler(automatic("min_pending_latency: 1s, max_pending_latency: 5s"), 1);
        Autoscaler standard = autoscaler(automatic("max_pending_latency: 5s"), 1);
        for (int i = 0; i < 60; i++) {
            LoadObservation observation = waiting(1, 0, 60, Duration.ofMillis(900));
            assertThat(patient.decide(observation).instances()).isEqualTo(1);
            assertThat(standard.decide(observation).instances()).isGreaterThan(1);
        }
    }

    @Test
    void anyWaitStartsTheFirstInstances() {
        Autoscaler autoscaler =
                autoscaler(automatic("min_pending_latency: 1s, max_pending_latency: 5s"), 0);
        expect(
                autoscaler.decide(waiting(0, 0, 15, Duration.ZERO)),
                2,
                ScalingReason.PENDING_REQUESTS);
    }

    @Test
    void aBacklogStartsInstancesAndIsHeld() {
        Autoscaler autoscaler = autoscaler(automatic("max_instances: 4"), 0);
        expect(autoscaler.decide(load(0, 0, 0, 1)), 1, ScalingReason.QUEUE_BACKLOG);
        expect(autoscaler.decide(load(1, 1, 0, 201)), 3, ScalingReason.QUEUE_BACKLOG);
        expect(autoscaler.decide(load(3, 1, 0, 5_000)), 4, ScalingReason.MAX_INSTANCES);
        for (int i = 0; i < 59; i++) {
            assertThat(autoscaler.decide(load(4, 0, 0, 0)).instances()).isEqualTo(4);
        }
        assertThat(autoscaler.decide(load(4, 0, 0, 0)).instances()).isLessThan(4);
    }

    @Test
    void idleInstancesAreBeyondTheLoad() {
        Autoscaler autoscaler =
                autoscaler(automatic("min_idle_instances: 2, max_idle_instances: 3"), 1);
        expect(autoscaler.decide(load(0, 0, 0, 0)), 2, ScalingReason.MIN_IDLE);
        for (int i = 0; i < 60; i++) {
            autoscaler.decide(load(2, 9, 0, 0));
        }
        expect(autoscaler.decide(load(5, 3.6, 0, 0)), 5, ScalingReason.MIN_IDLE);
    }

    @Test
    void idleInstancesBeyondTheMaximumStopAtOnce() {
        Autoscaler autoscaler = autoscaler(automatic("max_idle_instances: 1"), 1);
        expect(autoscaler.decide(load(10, 0.2, 0, 0)), 2, ScalingReason.MAX_IDLE);
        Autoscaler standard = autoscaler(automatic(""), 1);
        expect(standard.decide(load(10, 0.2, 0, 0)), 5, ScalingReason.DOWN_RATE);
    }

    @Test
    void theLastInstanceStopsAfterTheStableWindowAndTheGracePeriod() {
        Autoscaler autoscaler = autoscaler(automatic(""), 1);
        autoscaler.decide(load(1, 1, 0, 0));
        int seconds = 0;
        Decision decision = autoscaler.decide(load(1, 0, 0, 0));
        while (decision.instances() > 0) {
            seconds++;
            decision = autoscaler.decide(load(1, 0, 0, 0));
            if (seconds == 80) {
                expect(decision, 1, ScalingReason.ZERO_GRACE);
            }
        }
        expect(decision, 0, ScalingReason.NO_LOAD);
        assertThat(seconds).isEqualTo(60 + 30 - 1);
    }

    @Test
    void aRequestRestartsTheGracePeriod() {
        Autoscaler autoscaler = autoscaler(automatic(""), 1);
        for (int i = 0; i < 80; i++) {
            autoscaler.decide(load(1, i == 0 ? 1 : 0, 0, 0));
        }
        autoscaler.decide(load(1, 1, 0, 0));
        for (int i = 0; i < 60 + 29; i++) {
            assertThat(autoscaler.decide(load(1, 0, 0, 0)).instances()).isEqualTo(1);
        }
        assertThat(autoscaler.decide(load(1, 0, 0, 0)).instances()).isZero();
    }

    @Test
    void aLoadAtTheLimitDoesNotStopAnInstance() {
        Autoscaler autoscaler = autoscaler(automatic(""), 1);
        for (int i = 0; i < 60; i++) {
            autoscaler.decide(load(3, 3.95, 0, 0));
        }
        expect(autoscaler.decide(load(3, 3.95, 0, 0)), 3, ScalingReason.DOWN_TOLERANCE);
        for (int i = 0; i < 60; i++) {
            autoscaler.decide(load(3, 3.6, 0, 0));
        }
        expect(autoscaler.decide(load(3, 3.6, 0, 0)), 2, ScalingReason.STABLE_WINDOW);
    }

    @Test
    void boundsDecideLast() {
        Autoscaler autoscaler = autoscaler(automatic("min_instances: 2, max_instances: 3"), 1);
        expect(autoscaler.decide(load(0, 0, 0, 0)), 2, ScalingReason.MIN_INSTANCES);
        Decision most = autoscaler.decide(load(2, 500, 0, 0));
        expect(most, 3, ScalingReason.MAX_INSTANCES);
        assertThat(most.rules()).extracting(Decision.Rule::reason).hasSizeGreaterThan(1);
        assertThat(most.explanation())
                .startsWith("3 instances: max_instances (")
                .contains("requests on average")
                .contains("6.0 per instance");
    }

    @Test
    void manualScalingIsFixed() {
        Autoscaler autoscaler = autoscaler(policy("manual_scaling: {instances: 3}"), 0);
        expect(autoscaler.decide(load(0, 0, 0, 0)), 3, ScalingReason.MANUAL);
        expect(autoscaler.decide(load(3, 900, 5, 900)), 3, ScalingReason.MANUAL);
    }

    @Test
    void basicScalingStartsForRequestsAndStopsAfterTheIdleTimeout() {
        Autoscaler autoscaler =
                autoscaler(policy("basic_scaling: {max_instances: 3, idle_timeout: 10s}"), 0);
        expect(autoscaler.decide(load(0, 0, 0, 0)), 0, ScalingReason.IDLE);
        expect(autoscaler.decide(load(0, 0, 11, 0)), 2, ScalingReason.PENDING_REQUESTS);
        expect(autoscaler.decide(waiting(0, 2, 11, Duration.ofSeconds(1))), 2, ScalingReason.BUSY);
        expect(autoscaler.decide(load(2, 5, 0, 0)), 2, ScalingReason.BUSY);
        expect(autoscaler.decide(load(2, 10, 90, 0)), 3, ScalingReason.MAX_INSTANCES);
        for (int i = 0; i < 9; i++) {
            assertThat(autoscaler.decide(load(2, 0, 0, 0)).instances()).isEqualTo(2);
        }
        expect(autoscaler.decide(load(2, 0, 0, 0)), 0, ScalingReason.IDLE);
        expect(autoscaler.decide(load(0, 0, 0, 150)), 2, ScalingReason.QUEUE_BACKLOG);
    }

    @Test
    void instancesBesideWhichAnAutoscalerStartsAreKept() {
        Autoscaler autoscaler = autoscaler(automatic(""), 7);
        expect(autoscaler.decide(load(7, 0.1, 0, 0)), 7, ScalingReason.PANIC_HOLD);
    }

    @Test
    void valuesOutOfRangeAreRefused() {
        assertThatThrownBy(() -> new ScalingPolicy.Bounds(3, 2)).hasMessageContaining("range");
        assertThatThrownBy(() -> load(1, -1, 0, 0)).hasMessageContaining("concurrency");
        assertThatThrownBy(() -> load(1, Double.NaN, 0, 0)).hasMessageContaining("concurrency");
        assertThatThrownBy(() -> load(1, 1, -1, 0)).hasMessageContaining("-1 requests");
        assertThatThrownBy(() -> load(1, 1, 0, -1)).hasMessageContaining("-1 tasks");
        assertThatThrownBy(
                        () ->
                                new ScalingPolicy.Automatic(
                                        new ScalingPolicy.Bounds(0, 1),
                                        ScalingPolicy.Idle.ANY,
                                        ScalingPolicy.Pending.AUTOMATIC,
                                        11,
                                        10,
                                        ScalingPolicy.Reaction.DEFAULT))
                .hasMessageContaining("11.0 requests");
    }

    @Test
    void theReasonOfAnInstanceIsTheFirstRuleThatNeedsIt() {
        Decision decision =
                new Decision(
                        4,
                        List.of(
                                new Decision.Rule(ScalingReason.STABLE_WINDOW, 1),
                                new Decision.Rule(ScalingReason.QUEUE_BACKLOG, 3),
                                new Decision.Rule(ScalingReason.MIN_INSTANCES, 4)),
                        new Decision.Load(0, 0, 6));
        assertThat(List.of(1, 2, 3, 4))
                .extracting(decision::reasonOf)
                .containsExactly(
                        ScalingReason.STABLE_WINDOW,
                        ScalingReason.QUEUE_BACKLOG,
                        ScalingReason.QUEUE_BACKLOG,
                        ScalingReason.MIN_INSTANCES);
    }

    @Test
    void anExplanationListsTheRules() {
        Decision decision =
                new Decision(
                        2,
                        List.of(
                                new Decision.Rule(ScalingReason.NO_LOAD, 0),
                                new Decision.Rule(ScalingReason.MIN_INSTANCES, 2)),
                        new Decision.Load(0, 0, 6));
        assertThat(decision.explanation())
                .isEqualTo(
                        "2 instances: min_instances (0.0 requests on average, 0.0 in the last"
                                + " seconds, 6.0 per instance; 0: no requests in the stable"
                                + " window)");
    }
}
