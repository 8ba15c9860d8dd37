package petrichor.jobs.tuning;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import petrichor.jobs.jobgraph.Scaling;

/** The policy's requests, interval by interval, in simulated time. */
final class LiveScalingTest {
    private static final Duration SPAN = Duration.ofSeconds(1);

    private final LiveScaling scaling = new LiveScaling(Resources.cores(2));
    private int spans;

    /** The parallelism requested for the second of two tasks; the current one if none is. */
    private int wished(ProfileBuilder metrics, int present) {
        List<Scaling.Wish> wishes =
                scaling.wishes(
                        metrics.profile(), Map.of(1, present), SPAN, SPAN.multipliedBy(++spans));
        assertThat(wishes).hasSizeLessThan(2);
        return wishes.isEmpty() ? present : wishes.getFirst().subtasks();
    }

    private static ProfileBuilder waiting(double sourceBusy, long records, double... busy) {
        return ProfileBuilder.ofSeconds(1)
                .source("read", records, sourceBusy)
                .task("ask", List.of(0), records, busy);
    }

    private static double[] each(int subtasks, double busy) {
        double[] all = new double[subtasks];
        Arrays.fill(all, busy);
        return all;
    }

    @Test
    void aBottleneckTaskGrowsInStepsToTheParallelismThatItNeeds() {
        // The source works 5 % of the time: 1 / (0.85 * 0.05) = 23.5.
        assertThat(wished(waiting(0.05, 25, 0.99), 1)).isEqualTo(LiveScaling.GROWTH_MAX);
        assertThat(wished(waiting(0.2, 100, each(4, 0.99)), 4)).isEqualTo(16);
        assertThat(wished(waiting(0.8, 400, each(16, 0.99)), 16)).isEqualTo(24);
        assertThat(wished(waiting(0.95, 450, each(24, 0.8)), 24)).isEqualTo(24);
    }

    @Test
    void uselessScalingIsUndoneAndNotRetriedForAWhile() {
        assertThat(wished(waiting(0.05, 100, 0.99), 1)).isEqualTo(4);
        // The service processes no more for all of them together than for one.
        assertThat(wished(waiting(0.05, 101, each(4, 0.99)), 4)).isEqualTo(1);
        while (spans + 1 < LiveScaling.REST.toSeconds() + 2) {
            assertThat(wished(waiting(0.05, 100, 0.99), 1)).isEqualTo(1);
        }
        assertThat(wished(waiting(0.05, 100, 0.99), 1)).isEqualTo(4);
    }

    @Test
    void aTaskThatComputesGetsNoMoreSubtasksThanThereAreProcessors() {
        ProfileBuilder one =
                ProfileBuilder.ofSeconds(1)
                        .source("read", 1_000, 0.05)
                        .computing("compute", List.of(0), 1_000, 1, each(1, 0.99));
        assertThat(wished(one, 1)).isEqualTo(2);
        // Other tasks use the processors, too: it waits for one half of the time.
        ProfileBuilder two =
                ProfileBuilder.ofSeconds(1)
                        .source("read", 1_300, 0.05)
                        .computing("compute", List.of(0), 1_300, 0.4, each(2, 0.99));
        assertThat(wished(two, 2)).isEqualTo(2);
    }

    @Test
    void surplusSubtasksAreRemovedOnlyAfterAWhile() {
        for (int i = 1; i < LiveScaling.LOW_SPANS; i++) {
            assertThat(wished(waiting(0.9, 400, each(20, 0.1)), 20)).isEqualTo(20);
        }
        // A moment of work restarts the count.
        assertThat(wished(waiting(0.9, 400, each(20, 0.6)), 20)).isEqualTo(20);
        for (int i = 1; i < LiveScaling.LOW_SPANS; i++) {
            assertThat(wished(waiting(0.9, 400, each(20, 0.1)), 20)).isEqualTo(20);
        }
        // Two are busy on average; three of them would be 70 % busy.
        assertThat(wished(waiting(0.9, 400, each(20, 0.1)), 20)).isEqualTo(3);
    }

    @Test
    void aHalfBusyTaskKeepsItsParallelism() {
        for (int i = 0; i < 3 * LiveScaling.LOW_SPANS; i++) {
            assertThat(wished(waiting(0.9, 400, each(4, 0.55)), 4)).isEqualTo(4);
        }
    }

    @Test
    void ofTwoBusyTasksTheDownstreamOneGrows() {
        ProfileBuilder both =
                ProfileBuilder.ofSeconds(1)
                        .source("read", 100, 0.1)
                        .task("ask", List.of(0), 100, 0.99)
                        .task("write", List.of(1), 100, 0.99);
        assertThat(scaling.wishes(both.profile(), Map.of(1, 1, 2, 1), SPAN, SPAN))
                .extracting(Scaling.Wish::vertex)
                .containsExactly(2);
    }
}
