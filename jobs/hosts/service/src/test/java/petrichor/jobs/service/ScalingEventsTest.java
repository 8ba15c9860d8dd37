package petrichor.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.SubtaskMetrics;
import petrichor.jobs.jobgraph.TaskScaling;
import petrichor.jobs.jobgraph.TaskState;

/** Subtasks that come and go, as those outside of the job see them. */
final class ScalingEventsTest {
    private static final TaskScaling GROWS =
            new TaskScaling(1, 1, 3, Duration.ofMillis(1_200), "busy 99 %");
    private static final TaskScaling SHRINKS =
            new TaskScaling(1, 3, 1, Duration.ofSeconds(9), "busy 3 %");

    private static Progress.Task task(int id, String name) {
        return Progress.Task.newBuilder()
                .setId(id)
                .setName(name)
                .setOperation("Relay")
                .setParallelism(1)
                .setSignature("signature of " + name)
                .setGrowable(true)
                .setSourceBytes(-1)
                .build();
    }

    private static JobSnapshot scaled() {
        Instant now = Instant.parse("2026-11-22T12:00:00Z");
        JobSnapshot image =
                JobSnapshot.submitted("1", "elastic", new Submission(null, List.of()), now)
                        .apply(EventMessages.moved(JobState.RUNNING), now)
                        .apply(
                                EventMessages.began(
                                        0, 0, 1, List.of(task(1, "ocr"), task(2, "words"))),
                                now);
        List<SubtaskId> joined =
                List.of(
                        new SubtaskId(1, 1),
                        new SubtaskId(2, 1),
                        new SubtaskId(1, 2),
                        new SubtaskId(2, 2));
        for (Progress.Event event :
                List.of(
                        EventMessages.scaled(GROWS, joined),
                        EventMessages.subtaskMoved(new SubtaskId(1, 2), TaskState.RUNNING, null),
                        EventMessages.measured(
                                new TreeMap<>(Map.of(new SubtaskId(2, 2), SubtaskMetrics.NONE))),
                        EventMessages.scaled(SHRINKS, List.of()))) {
            // As they come from a job's process.
            image = image.apply(ProgressJson.event(ProgressJson.of(event).toString()), now);
        }
        return image;
    }

    @Test
    void addedSubtasksAreReportedLikeTheOthers() {
        TaskSnapshot ocr = scaled().tasks().getFirst();
        assertThat(ocr.task().getSubtasksList())
                .extracting(subtask -> ProgressMessages.state(subtask.getState()))
                .containsExactly(TaskState.CREATED, TaskState.READY, TaskState.RUNNING);
        assertThat(ocr.subtasksMost()).isEqualTo(3);
        // A task in the same threads has as many.
        assertThat(scaled().tasks().getLast().task().getSubtasksList()).hasSize(3);
    }

    @Test
    void snapshotAndJsonContainTimeAndReason() {
        JobSnapshot read = JobSnapshot.parse(scaled().json(false));
        assertThat(read.tasks().getFirst().scalings()).containsExactly(GROWS, SHRINKS);
        assertThat(read.tasks().getLast().scalings()).isEmpty();
        assertThat(GROWS.text()).isEqualTo("1 -> 3 at 1.2 s: busy 99 %");
    }

    @Test
    void theHistoryHasTheMostSubtasksOfATaskAndWhenAndWhy() {
        Progress.Event end =
                EventMessages.ended(
                        EventMessages.end(JobState.FINISHED, null, null, Duration.ZERO));
        JobSnapshot ended = scaled().apply(end, Instant.parse("2026-11-22T12:00:10Z"));
        TaskRecord ocr = ended.record().tasks().getFirst();
        assertThat(ocr.parallelism()).isEqualTo(3);
        assertThat(ocr.scalings()).containsExactly(GROWS, SHRINKS);
        JsonObject line = ProgressJson.of(StatusMessages.of(ended.record()));
        assertThat(line.getAsJsonArray("tasks").get(0).getAsJsonObject().get("scalings").toString())
                .isEqualTo(
                        "[{\"from\":1,\"to\":3,\"atMillis\":1200,\"why\":\"busy 99 %\"},"
                                + "{\"from\":3,\"to\":1,\"atMillis\":9000,\"why\":\"busy 3 %\"}]");
    }

    @Test
    void aSubmissionRecordsWhetherItIsElastic() {
        Submission elastic = new Submission(null, List.of()).with(new Execution.Threads(true));
        assertThat(Submission.parse(elastic.json().toString())).isEqualTo(elastic);
        assertThat(Submission.parse("{}").execution()).isEqualTo(new Execution.Threads(false));
        assertThatThrownBy(() -> Execution.of(2, "", true, null))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("elastic");
    }
}
