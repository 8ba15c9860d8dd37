package petrichor.jobs.tuning;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tuning of modelled pipelines: a stage is as fast as its slowest task. */
final class TuningTest {
    private static final long SEED = Long.getLong("seed", 1);
    private static final int PIPELINES = 500;
    private static final long RECORDS = 10_000;
    private static final double START_SECONDS = 0.2;

    /**
     * @param linkSeconds time to read all records, with any number of readers
     * @param workSeconds of the tasks after the reader, in order
     */
    private record Pipeline(double linkSeconds, double[] workSeconds) {
        double seconds(Map<String, Integer> parallelism) {
            double slowest = linkSeconds;
            for (int i = 0; i < workSeconds.length; i++) {
                slowest = Math.max(slowest, workSeconds[i] / subtasks(parallelism, i + 1));
            }
            return slowest + START_SECONDS;
        }

        static int subtasks(Map<String, Integer> parallelism, int task) {
            return parallelism.getOrDefault(Integer.toString(task), 1);
        }

        JobProfile profile(Map<String, Integer> parallelism) {
            double seconds = seconds(parallelism);
            ProfileBuilder metrics = ProfileBuilder.ofSeconds(seconds);
            // All readers wait for the one link, which counts as work.
            int readers = subtasks(parallelism, 0);
            metrics.source("0", RECORDS, BottleneckSearchTest.all(readers, linkSeconds / seconds));
            for (int i = 0; i < workSeconds.length; i++) {
                int subtasks = subtasks(parallelism, i + 1);
                metrics.task(
                        Integer.toString(i + 1),
                        List.of(i),
                        RECORDS,
                        BottleneckSearchTest.all(subtasks, workSeconds[i] / subtasks / seconds));
            }
            return metrics.profile();
        }
    }

    private static Tuning tune(Pipeline pipeline) {
        Tuning tuning = Tuning.of(Resources.unlimited(), 5);
        for (Optional<Map<String, Integer>> next = tuning.next();
                next.isPresent();
                next = tuning.next()) {
            Map<String, Integer> plan = next.get();
            tuning = tuning.ran(plan, pipeline.seconds(plan), pipeline.profile(plan));
        }
        return tuning;
    }

    @Test
    void anyPipelineIsAsFastAsItsLinkAfterTwoMoreRuns() {
        for (int i = 0; i < PIPELINES; i++) {
            long seed = SEED + i;
            Random random = new Random(seed);
            double[] work = new double[1 + random.nextInt(5)];
            for (int j = 0; j < work.length; j++) {
                work[j] = 0.1 + random.nextDouble() * 100;
            }
            Pipeline pipeline = new Pipeline(5 + random.nextDouble() * 20, work);
            Tuning tuning = tune(pipeline);
            assertThat(tuning.rounds().size()).as("runs, seed %d", seed).isLessThanOrEqualTo(3);
            assertThat(tuning.best().seconds())
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo((pipeline.linkSeconds() + START_SECONDS) * 1.051);
            assertThat(tuning.parallelism().get("0")).as("readers, seed %d", seed).isEqualTo(1);
        }
    }

    @Test
    void nothingIsTriedWithoutAPossibleGain() {
        Tuning tuning =
                Tuning.of(Resources.cores(1), 5)
                        .ran(
                                Map.of(),
                                10,
                                ProfileBuilder.ofSeconds(10)
                                        .source("read", 100, 0.1)
                                        .computing("work", List.of(0), 100, 0.97)
                                        .profile());
        assertThat(tuning.next()).isEmpty();
        assertThat(tuning.best().advice().tasks().get(1).reason())
                .contains("all processors are busy");
    }

    @Test
    void theNumberOfRunsIsBounded() {
        Tuning tuning = Tuning.of(Resources.unlimited(), 1);
        assertThat(tuning.next()).contains(Map.of());
        Pipeline slow = new Pipeline(1, new double[] {50});
        assertThat(tuning.ran(Map.of(), 50.2, slow.profile(Map.of())).next()).isEmpty();
    }

    @Test
    void ofEquallyFastRunsTheOneWithFewerSubtasksIsTheBest() {
        Pipeline pipeline = new Pipeline(10, new double[] {9});
        List<Map<String, Integer>> plans = new ArrayList<>();
        plans.add(Map.of("1", 4));
        plans.add(Map.of("1", 1));
        Tuning tuning = Tuning.of(Resources.unlimited(), 5);
        for (Map<String, Integer> plan : plans) {
            tuning = tuning.ran(plan, pipeline.seconds(plan), pipeline.profile(plan));
        }
        assertThat(tuning.parallelism()).isEqualTo(new HashMap<>(Map.of("0", 1, "1", 1)));
    }
}
