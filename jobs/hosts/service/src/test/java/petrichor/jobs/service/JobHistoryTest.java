package petrichor.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.TaskSignature;

final class JobHistoryTest {
    private static final TaskSignature COUNT = new TaskSignature("00ff00ff00ff00ff");

    @Test
    void theOldestJobIsDroppedWhenTheHistoryIsFull() {
        var history = new JobHistory(List.of(), 2);
        for (var id : List.of("one", "two", "three")) {
            history = history.with(job(id, JobState.FINISHED, 1));
        }
        assertThat(history.jobs()).extracting(JobRecord::id).containsExactly("three", "two");
        assertThat(history.job("one")).isEmpty();
        assertThat(history.job("two")).isPresent();
    }

    @Test
    void aTaskIsFoundBySignatureInFinishedJobs() {
        var history =
                JobHistory.empty()
                        .with(job("one", JobState.FINISHED, 1))
                        .with(job("two", JobState.FAILED, 2))
                        .with(job("three", JobState.FINISHED, 4));
        assertThat(history.runsOf(COUNT)).extracting(TaskRecord::parallelism).containsExactly(4, 1);
        assertThat(history.runsOf(new TaskSignature("0000000000000000"))).isEmpty();
    }

    @Test
    void onlyEndedJobsAreRecorded() {
        assertThatThrownBy(() -> job("one", JobState.RUNNING, 1))
                .hasMessageContaining("only completed jobs");
    }

    @Test
    void theLatestRunDeterminesTheLearnedParallelism() {
        var history =
                JobHistory.empty()
                        .with(learned("one", 1, 10, 7))
                        .with(learned("two", 2, 5, 3))
                        .with(learned("three", 2, 5, 4));
        assertThat(history.learned()).isEqualTo(Map.of("contract", 4));
    }

    @Test
    void uselessSubtasksAreNotLearned() {
        // Two subtasks together were as fast as a single one.
        var history =
                JobHistory.empty().with(learned("one", 1, 10, 2)).with(learned("two", 2, 20, 4));
        assertThat(history.learned()).isEqualTo(Map.of("contract", 1));
    }

    private static JobRecord learned(String id, int parallelism, int workSeconds, int advised) {
        var task =
                new TaskRecord(
                        "count",
                        COUNT,
                        parallelism,
                        1_000,
                        5,
                        Duration.ofSeconds(workSeconds),
                        Duration.ofMillis(3),
                        new TaskLesson("", advised, "", List.of("contract")));
        return new JobRecord(
                id,
                "words",
                JobState.FINISHED,
                Instant.EPOCH,
                Duration.ofSeconds(1),
                null,
                List.of(task));
    }

    private static JobRecord job(String id, JobState state, int parallelism) {
        var task =
                new TaskRecord(
                        "count",
                        COUNT,
                        parallelism,
                        10,
                        5,
                        Duration.ofMillis(7),
                        Duration.ofMillis(3),
                        TaskLesson.NONE);
        return new JobRecord(
                id, "words", state, Instant.EPOCH, Duration.ofSeconds(1), null, List.of(task));
    }
}
