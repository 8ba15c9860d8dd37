package petrichor.jobs.tuning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

final class AdviceTest {
    private static final long SEED = Long.getLong("seed", 18_2018);
    private static final int ROUNDS = 2_000;

    private static int advised(Advice advice, String task) {
        return advice.tasks().stream()
                .filter(each -> each.task().name().equals(task))
                .findFirst()
                .orElseThrow()
                .parallelism();
    }

    /**
     * 4,000 pages in 310 minutes with one subtask each; the PDF creator needs 75 minutes for them,
     * the reader's link 24.
     */
    @Test
    void oneRunOfTheThesisJobGivesTheAdviceOfTheThesis() {
        double ocr = 309.0 / 310;
        JobProfile first =
                ProfileBuilder.ofSeconds(310 * 60)
                        .source("file reader", 4_000, 24.0 / 310)
                        .task("ocr", List.of(0), 4_000, ocr)
                        .task("pdf creator", List.of(1), 4_000, 75.0 / 310)
                        .task("pdf writer", List.of(2), 4_000, 1.0 / 310)
                        .task("inverted index", List.of(1), 400_000, 10.0 / 310)
                        .task("index writer", List.of(4), 40_000, 1.0 / 310)
                        .profile();
        Advice advice = Advice.of(first, Resources.unlimited());
        // The thesis ended with 16 and 5, after several runs.
        assertThat(advised(advice, "ocr")).isBetween(14, 17);
        assertThat(advised(advice, "pdf creator")).isBetween(4, 5);
        assertThat(advised(advice, "inverted index")).isEqualTo(1);
        assertThat(advised(advice, "file reader")).isEqualTo(1);
        assertThat(advice.expectedSeconds() / 60).isCloseTo(25, within(1.5));
        Advice priced = advice.on(List.of(new MachineOffer("m1.small", 1, 0.10)));
        // 23 machines for 25 minutes; in the thesis, two tasks share machines.
        assertThat(priced.dollars()).isBetween(0.8, 1.2);
    }

    @Test
    void aBottleneckSourceIsDoubledUntilThatGainsNothing() {
        JobProfile profile =
                ProfileBuilder.ofSeconds(10)
                        .source("read", 1_000, 0.99)
                        .task("work", List.of(0), 1_000, 0.6)
                        .profile();
        Advice advice = Advice.of(profile, Resources.unlimited());
        assertThat(advised(advice, "read")).isEqualTo(2);
        assertThat(advised(advice, "work")).isEqualTo(2);
        assertThat(advice.expectedSeconds()).isCloseTo(5, within(0.2));
        Advice exhausted = Advice.of(profile, Resources.unlimited(), Set.of("read"));
        assertThat(exhausted.isChange()).isFalse();
        assertThat(exhausted.tasks().getFirst().reason())
                .contains("more readers do not increase the rate");
    }

    @Test
    void moreSubtasksThanTheProcessorsCanRunAreNotAdvised() {
        JobProfile profile =
                ProfileBuilder.ofSeconds(10)
                        .source("read", 1_000, 0.01)
                        .computing("work", List.of(0), 1_000, 0.99)
                        .profile();
        assertThat(advised(Advice.of(profile, Resources.cores(2)), "work")).isBetween(2, 3);
        Advice alone = Advice.of(profile, Resources.cores(1));
        assertThat(alone.expectedSeconds()).isCloseTo(10, within(0.01));
    }

    @Test
    void aTaskThatCannotBeParallelizedLimitsTheRate() {
        Advice advice =
                Advice.of(
                        ProfileBuilder.ofSeconds(10)
                                .source("read", 1_000, 0.01)
                                .task("work", List.of(0), 1_000, 0.97)
                                .task("count", List.of(1), 1_000, 0.5)
                                .only("count", false, 0)
                                .profile(),
                        Resources.unlimited());
        assertThat(advised(advice, "count")).isEqualTo(1);
        assertThat(advised(advice, "work")).isEqualTo(3);
        assertThat(advice.tasks().get(2).reason())
                .isEqualTo("its result is computed by one subtask");
    }

    @Test
    void skewIsNotCuredByMoreSubtasks() {
        Advice advice =
                Advice.of(
                        ProfileBuilder.ofSeconds(10)
                                .source("read", 1_000, 0.1)
                                .task("group", List.of(0), 1_000, 0.99, 0.05, 0.05)
                                .profile(),
                        Resources.unlimited());
        assertThat(advised(advice, "group")).isEqualTo(3);
        assertThat(advice.tasks().get(1).reason()).contains("too many records of one value");
        assertThat(advice.expectedSeconds()).isCloseTo(10, within(0.2));
    }

    @Test
    void idleSubtasksAreRemoved() {
        Advice advice =
                Advice.of(
                        ProfileBuilder.ofSeconds(10)
                                .source("read", 1_000, 0.95)
                                .task("work", List.of(0), 1_000, 0.1, 0.1, 0.1, 0.1)
                                .profile(),
                        Resources.unlimited(),
                        Set.of("read"));
        assertThat(advised(advice, "work")).isEqualTo(1);
        assertThat(advice.tasks().get(1).reason()).endsWith("the other subtasks wait");
    }

    @Test
    void everyTaskGetsTheCheapestMachineForItsSubtasks() {
        Advice advice =
                Advice.of(
                                ProfileBuilder.ofSeconds(3_600)
                                        .source("read", 1_000, 0.125)
                                        .task("work", List.of(0), 1_000, 0.8)
                                        .profile(),
                                Resources.unlimited())
                        .on(
                                List.of(
                                        MachineOffer.parse("m1.small:1:0.10"),
                                        MachineOffer.parse("c1.xlarge:8:0.68")));
        assertThat(advice.tasks())
                .extracting(task -> java.util.Objects.requireNonNull(task.machine()).type())
                .containsExactly("m1.small", "c1.xlarge");
        assertThatThrownBy(() -> MachineOffer.parse("m1.small"))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("TYPE:CORES:DOLLARS_PER_HOUR");
    }

    @Test
    void adviceRespectsLimitsAndNeverPredictsASlowdown() {
        for (int round = 0; round < ROUNDS; round++) {
            long seed = SEED + round;
            Random random = new Random(seed);
            JobProfile profile = BottleneckSearchTest.random(random).profile();
            int subtasksMax = profile.tasks().size() + random.nextInt(60);
            Resources resources =
                    Resources.cores(1 + random.nextInt(8)).withSubtasksMax(subtasksMax);
            Advice advice = Advice.of(profile, resources);
            assertThat(advice.expectedSeconds())
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(advice.seconds() + 1e-6);
            assertThat(advice.subtasks())
                    .as("seed %d", seed)
                    .isBetween(profile.tasks().size(), Math.max(subtasksMax, 2));
            assertThat(
                            Advice.of(profile, resources.withSubtasksMax(subtasksMax + 100))
                                    .expectedSeconds())
                    .as("more subtasks, seed %d", seed)
                    .isLessThanOrEqualTo(advice.expectedSeconds() + 1e-6);
        }
    }
}
