package petrichor.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.ChannelMetrics;
import petrichor.jobs.jobgraph.JobCounters;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.SubtaskMetrics;
import petrichor.jobs.jobgraph.TaskState;

/** The JSON of job progress: its shape, and what is refused or ignored in it. */
final class ProgressJsonTest {
    private static final Instant NOW = Instant.parse("2026-11-24T12:00:00.123456789Z");
    private static final SubtaskMetrics METRICS =
            new SubtaskMetrics(
                    1,
                    2,
                    3,
                    Long.MAX_VALUE,
                    5,
                    6,
                    7,
                    8,
                    9,
                    10,
                    "lz4",
                    List.of(new ChannelMetrics(new SubtaskId(2, 1), 9, 1, 4)),
                    11);

    @TempDir private Path folder;

    private static JobSnapshot running() {
        Progress.Task task =
                Progress.Task.newBuilder()
                        .setId(1)
                        .setName("words")
                        .setOperation("Relay")
                        .setParallelism(1)
                        .build();
        return JobSnapshot.submitted("1", "job", new Submission("C", List.of("x")), NOW)
                .apply(EventMessages.moved(JobState.RUNNING), NOW)
                .apply(EventMessages.began(0, 0, 1, List.of(task)), NOW)
                .apply(
                        EventMessages.measured(new TreeMap<>(Map.of(new SubtaskId(1, 0), METRICS))),
                        NOW);
    }

    @Test
    void aSnapshotHasItsSubmissionAndMetricsUnderTheirNames() {
        JsonObject json = running().json(false);
        assertThat(json.get("state").getAsString()).isEqualTo("RUNNING");
        assertThat(json.get("submitted").getAsString()).isEqualTo(NOW.toString());
        assertThat(json.getAsJsonObject("submission").toString())
                .isEqualTo(
                        "{\"class\":\"C\",\"arguments\":[\"x\"],\"workers\":0,\"backend\":\"\","
                                + "\"learned\":false,\"trial\":false,\"elastic\":false,"
                                + "\"parallelism\":{}}");
        JsonObject task = json.getAsJsonArray("tasks").get(0).getAsJsonObject();
        JsonObject subtask = task.getAsJsonArray("subtasks").get(0).getAsJsonObject();
        assertThat(subtask.getAsJsonObject("metrics").toString())
                .isEqualTo(
                        "{\"recordsIn\":1,\"bytesIn\":2,\"recordsOut\":3,"
                                + "\"bytesOut\":9223372036854775807,\"waitedForInputNanos\":5,"
                                + "\"waitedForRoomNanos\":6,\"elapsedNanos\":7,\"cpuNanos\":8,"
                                + "\"channelBytes\":9,\"wireBytes\":10,\"sourceBytesRead\":11,"
                                + "\"level\":\"lz4\",\"channels\":[{\"toTask\":2,\"toSubtask\":1,"
                                + "\"bytes\":9,\"waitedNanos\":1,\"elapsedNanos\":4,"
                                + "\"saturation\":0.25}]}");
        assertThat(task.getAsJsonObject("metrics")).isEqualTo(subtask.getAsJsonObject("metrics"));
        assertThat(JobSnapshot.parse(json).tasks().getFirst().metrics()).isEqualTo(METRICS);
        assertThat(running().json(true).has("tasks")).isFalse();
    }

    @Test
    void anEventIsFlatAndNamesItsKind() {
        JobCounters counters =
                new JobCounters(new TreeMap<>(Map.of("a", new TreeMap<>(Map.of("b", 1L)))));
        Progress.Event end =
                EventMessages.ended(
                        EventMessages.end(JobState.FAILED, ErrorCode.INTERNAL, "why", Duration.ZERO)
                                .toBuilder()
                                .putAllCounters(ProgressMessages.of(counters))
                                .build());
        for (Map.Entry<Progress.Event, String> each :
                Map.of(
                                EventMessages.moved(JobState.RUNNING),
                                "{\"event\":\"job\",\"state\":\"RUNNING\"}",
                                EventMessages.subtaskMoved(
                                        new SubtaskId(1, 0), TaskState.FAILED, "why"),
                                "{\"event\":\"subtask\",\"task\":1,\"subtask\":0,"
                                        + "\"state\":\"FAILED\",\"failure\":\"why\"}",
                                EventMessages.planStarted("P", "p"),
                                "{\"event\":\"planStarted\",\"program\":\"P\",\"name\":\"p\"}",
                                EventMessages.alive(),
                                "{\"event\":\"alive\"}",
                                end,
                                "{\"event\":\"ended\",\"state\":\"FAILED\",\"code\":\"INTERNAL\","
                                        + "\"failure\":\"why\",\"elapsedMillis\":0,"
                                        + "\"spilledBytes\":0,\"counters\":{\"a\":{\"b\":1}}}")
                        .entrySet()) {
            assertThat(ProgressJson.of(each.getKey()).toString()).isEqualTo(each.getValue());
            assertThat(ProgressJson.event(each.getValue())).isEqualTo(each.getKey());
        }
        JobSnapshot snapshot = running();
        Progress.Event whole =
                ProgressJson.event(ProgressJson.of(EventMessages.snapshot(snapshot)).toString());
        assertThat(JobSnapshot.of(whole.getSnapshot()).complete()).isEqualTo(snapshot.complete());
    }

    @Test
    void unknownEventsAndOtherLinesAreRefused() {
        for (String line :
                List.of(
                        "",
                        "x",
                        "[]",
                        "{}",
                        "{\"event\":\"none\"}",
                        "{\"event\":\"job\",\"state\":\"PAUSED\"}",
                        "{\"event\":\"subtask\",\"task\":1,\"subtask\":0}",
                        "{\"event\":\"scaled\",\"task\":1,\"from\":0,\"to\":1}",
                        "{\"event\":\"ended\",\"state\":\"FAILED\",\"code\":\"NONE\"}")) {
            assertThatThrownBy(() -> ProgressJson.event(line))
                    .as(line)
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageStartingWith("not a job event");
        }
    }

    @Test
    void anUnknownMemberOfASubmissionIsRefusedWithTheNearestName() {
        assertThatThrownBy(() -> Submission.parse("{\"worker\": 2}"))
                .hasMessageContaining("\"worker\"")
                .hasMessageContaining("did you mean \"workers\"?");
        assertThatThrownBy(() -> Submission.parse("{\"cloud\": {\"waitseconds\": 2}}"))
                .hasMessageContaining("\"waitseconds\"")
                .hasMessageContaining("did you mean \"waitSeconds\"?");
        assertThatThrownBy(() -> Submission.parse("{\"program\": \"C\"}"))
                .as("the schema's name")
                .hasMessageContaining("\"program\"");
        assertThat(Submission.parse("{\"parallelism\": {\"anything\": 2}}").parallelism())
                .isEqualTo(Map.of("anything", 2));
    }

    @Test
    void aWrongTypeInASubmissionIsRefused() {
        for (String text :
                List.of(
                        "{\"workers\": {}}",
                        "{\"workers\": \"many\"}",
                        "{\"cloud\": 1}",
                        "{\"learned\": \"yes\"}",
                        "{\"arguments\": {}}",
                        "{\"parallelism\": [1]}")) {
            assertThatThrownBy(() -> Submission.parse(text))
                    .as(text)
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("a job is described by");
        }
    }

    @Test
    void newerLinesOfTheHistoryAreRead() throws Exception {
        JsonObject line =
                ProgressJson.of(
                        StatusMessages.of(
                                running()
                                        .apply(
                                                EventMessages.ended(
                                                        EventMessages.end(
                                                                JobState.FINISHED,
                                                                null,
                                                                null,
                                                                Duration.ZERO)),
                                                NOW)
                                        .record()));
        line.addProperty("color", "green");
        JsonObject task = line.getAsJsonArray("tasks").get(0).getAsJsonObject();
        task.add("shape", JsonParser.parseString("{\"corners\": [4]}"));
        Path file = Files.writeString(folder.resolve("history.jsonl"), line.toString());
        assertThat(HistoryFile.open(file, 10).history().jobs())
                .singleElement()
                .satisfies(job -> assertThat(job.tasks()).hasSize(1));
    }
}
