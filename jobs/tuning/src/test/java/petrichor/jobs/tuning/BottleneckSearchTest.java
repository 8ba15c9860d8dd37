package petrichor.jobs.tuning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

final class BottleneckSearchTest {
    private static final long SEED = Long.getLong("seed", 4_2010);
    private static final int ROUNDS = 2_000;

    private static List<Finding> search(ProfileBuilder metrics) {
        return BottleneckSearch.STANDARD.in(metrics.profile());
    }

    /** The thesis' job: reader, OCR, PDF creator and its writer, index and its writer. */
    static ProfileBuilder documents(double[] ocr, double[] pdf, double reader) {
        return ProfileBuilder.ofSeconds(60)
                .source("file reader", 4_000, reader)
                .task("ocr", List.of(0), 4_000, ocr)
                .task("pdf creator", List.of(1), 4_000, pdf)
                .task("pdf writer", List.of(2), 4_000, 0.05)
                .task("inverted index", List.of(1), 400_000, 0.04)
                .task("index writer", List.of(4), 40_000, 0.01);
    }

    static double[] all(int subtasks, double busy) {
        double[] all = new double[subtasks];
        java.util.Arrays.fill(all, busy);
        return all;
    }

    @Test
    void withOneSubtaskPerTaskTheThesisFindsTheOcrTask() {
        List<Finding> found = search(documents(all(1, 0.99), all(1, 0.25), 0.08).full(0, 1, 0.9));
        assertThat(found).extracting(Finding::displayName).containsExactly("cpu");
        assertThat(found.getFirst().text())
                .isEqualTo("\"ocr\" is busy 99 % of the time, and no downstream task is");
    }

    @Test
    void withFourOcrTasksTheThesisFindsThePdfCreator() {
        // Both are busy: the one further downstream is the bottleneck.
        List<Finding> found = search(documents(all(4, 0.93), all(1, 0.98), 0.3));
        assertThat(found).extracting(Finding::task).containsExactly(2);
        assertThat(found).extracting(Finding::displayName).containsExactly("cpu");
    }

    @Test
    void withSixteenAndFiveTheThesisFindsTheChannelsOfTheReader() {
        List<Finding> found = search(documents(all(16, 0.8), all(5, 0.65), 0.04).full(0, 1, 0.95));
        assertThat(found).containsExactly(new Finding.Io(0, 1, "file reader", "ocr", 0.95, 0.95));
    }

    @Test
    void fullChannelsBeforeABusyTaskAreNotTheBottleneck() {
        assertThat(
                        search(
                                ProfileBuilder.ofSeconds(10)
                                        .source("read", 10, 0.02)
                                        .task("work", List.of(0), 10, 0.97)
                                        .full(0, 1, 0.97)))
                .extracting(Finding::displayName)
                .containsExactly("cpu");
    }

    /** As in TPC-H's ninth query: the nations are read in a millisecond. */
    @Test
    void aSourceThatEndsAtOnceIsNotABottleneck() {
        ProfileBuilder metrics =
                ProfileBuilder.ofSeconds(5.8)
                        .briefSource("nation.tbl", 25, 0.001)
                        .briefSource("supplier.tbl", 2_000, 0.05)
                        .source("lineitem.tbl", 1_200_000, 0.97)
                        .task("join", List.of(0, 1, 2), 1_202_025, 0.5);
        assertThat(search(metrics)).extracting(Finding::task).containsExactly(2);
        assertThat(
                        Advice.of(metrics.profile(), Resources.ofThisMachine()).tasks().stream()
                                .filter(task -> task.task().id() < 2)
                                .map(TaskAdvice::parallelism))
                .containsOnly(1);
    }

    @Test
    void aReaderThatEndsAtOnceIsNotSkew() {
        ProfileBuilder metrics =
                ProfileBuilder.ofSeconds(10)
                        .briefSource("small", 25, 0.01)
                        .source("large", 1_000, 0.5, 0.4)
                        .task("join", List.of(0, 1), 1_025, 0.3);
        assertThat(search(metrics)).isEmpty();
    }

    @Test
    void theLastOfConsecutiveFullEdgesIsTheBottleneck() {
        List<Finding> found =
                search(
                        ProfileBuilder.ofSeconds(10)
                                .source("read", 10, 0.02)
                                .task("pass", List.of(0), 10, 0.02)
                                .task("write", List.of(1), 10, 0.1)
                                .full(0, 1, 0.95)
                                .full(1, 2, 0.96));
        assertThat(found).extracting(Finding::task).containsExactly(1);
    }

    @Test
    void oneBusySubtaskAmongIdleOnesIsSkew() {
        List<Finding> found =
                search(
                        ProfileBuilder.ofSeconds(10)
                                .source("read", 100, 0.3)
                                .task("group", List.of(0), 100, 0.2, 0.98, 0.1, 0.2)
                                .full(0, 1, 0.95));
        assertThat(found).hasSize(1);
        assertThat(found.getFirst()).isInstanceOf(Finding.Skew.class);
        assertThat(found.getFirst().text()).startsWith("subtask 2 of \"group\"");
    }

    @Test
    void anIdleJobHasNoBottleneck() {
        assertThat(
                        search(
                                ProfileBuilder.ofSeconds(10)
                                        .source("read", 100, 0.3)
                                        .task("work", List.of(0), 100, 0.4)))
                .isEmpty();
    }

    @Test
    void twoBranchesHaveABottleneckEach() {
        assertThat(
                        search(
                                ProfileBuilder.ofSeconds(10)
                                        .source("read", 100, 0.95)
                                        .task("left", List.of(0), 100, 0.95)
                                        .task("right", List.of(0), 100, 0.97)))
                .extracting(Finding::task)
                .containsExactlyInAnyOrder(1, 2);
    }

    @Test
    void thresholdsAreFractions() {
        assertThatThrownBy(() -> new BottleneckSearch(90, 0.9))
                .isInstanceOf(PetrichorException.class);
    }

    /** The thesis' algorithms 1 to 3, implemented a second time without regard for speed. */
    @Test
    void withOneSubtaskPerTaskItIsTheThesisAlgorithm() {
        for (int round = 0; round < ROUNDS; round++) {
            long seed = SEED + round;
            JobProfile profile = random(new Random(seed)).profile();
            Set<String> expected = new HashSet<>();
            for (TaskProfile task : profile.tasks()) {
                if (isCpu(profile, task.id())) {
                    expected.add("cpu " + task.id());
                }
            }
            if (expected.isEmpty()) {
                for (TaskProfile task : profile.tasks()) {
                    for (EdgeProfile edge : profile.edgesFrom(task)) {
                        if (isIo(profile, edge)) {
                            expected.add("io " + edge.from() + " " + edge.to());
                        }
                    }
                }
            }
            Set<String> found = new HashSet<>();
            for (Finding each : BottleneckSearch.STANDARD.in(profile)) {
                found.add(
                        switch (each) {
                            case Finding.Cpu cpu -> "cpu " + cpu.task();
                            case Finding.Io io -> "io " + io.task() + " " + io.to();
                            case Finding.Skew skew -> "skew " + skew.task();
                        });
            }
            assertThat(found).as("seed %d", seed).isEqualTo(expected);
        }
    }

    private static boolean isCpu(JobProfile profile, int task) {
        return profile.task(task).busyMean() > 0.9
                && profile.tasks().stream()
                        .filter(each -> each.inputs().contains(task))
                        .noneMatch(each -> isOrLeadsToCpu(profile, each.id()));
    }

    private static boolean isOrLeadsToCpu(JobProfile profile, int task) {
        return isCpu(profile, task)
                || profile.tasks().stream()
                        .filter(each -> each.inputs().contains(task))
                        .anyMatch(each -> isOrLeadsToCpu(profile, each.id()));
    }

    private static boolean isIo(JobProfile profile, EdgeProfile edge) {
        return edge.mean() > 0.9 && noneBehind(profile, edge.to());
    }

    private static boolean noneBehind(JobProfile profile, int task) {
        return profile.edgesFrom(profile.task(task)).stream()
                .allMatch(next -> !isIo(profile, next) && noneBehind(profile, next.to()));
    }

    static ProfileBuilder random(Random random) {
        int tasks = 2 + random.nextInt(7);
        ProfileBuilder metrics = ProfileBuilder.ofSeconds(10).source("0", 1_000, busy(random));
        List<int[]> edges = new ArrayList<>();
        for (int i = 1; i < tasks; i++) {
            Set<Integer> inputs = new HashSet<>();
            for (int j = 0; j <= random.nextInt(2); j++) {
                inputs.add(random.nextInt(i));
            }
            for (int input : inputs) {
                edges.add(new int[] {input, i});
            }
            metrics.task(
                    Integer.toString(i), List.copyOf(inputs), random.nextInt(10_000), busy(random));
        }
        for (int[] edge : edges) {
            if (random.nextInt(3) == 0) {
                metrics.full(edge[0], edge[1], 0.8 + random.nextDouble() / 5);
            }
        }
        return metrics;
    }

    private static double busy(Random random) {
        return random.nextInt(4) == 0 ? 0.85 + random.nextDouble() * 0.15 : random.nextDouble();
    }
}
