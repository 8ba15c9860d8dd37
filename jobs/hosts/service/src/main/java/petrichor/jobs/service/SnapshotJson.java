package petrichor.jobs.service;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.TaskScaling;
import petrichor.jobs.jobgraph.TaskState;

/** Reads {@link JobSnapshot#json} back, for those who follow a job from elsewhere. Stateless. */
public final class SnapshotJson {
    private SnapshotJson() {}

    public static JobSnapshot parse(JsonObject json) {
        try {
            String code = EventJson.find(json, "code");
            String begun = EventJson.find(json, "begun");
            return new JobSnapshot(
                    EventJson.text(json, "id"),
                    EventJson.text(json, "name"),
                    Submission.of(json),
                    JobState.valueOf(EventJson.text(json, "state")),
                    code == null ? null : ErrorCode.valueOf(code),
                    EventJson.find(json, "failure"),
                    Instant.parse(EventJson.text(json, "submitted")),
                    begun == null ? null : Instant.parse(begun),
                    json.has("elapsedMillis")
                            ? Duration.ofMillis(json.get("elapsedMillis").getAsLong())
                            : null,
                    json.get("parts").getAsInt(),
                    json.get("part").getAsInt(),
                    json.get("round").getAsInt(),
                    json.get("stages").getAsInt(),
                    tasks(json),
                    TaskTotals.NONE,
                    json.get("spilledBytes").getAsLong(),
                    CloudJson.cost(json),
                    CountersJson.of(json),
                    RunReport.of(json));
        } catch (RuntimeException wrong) {
            throw PetrichorException.invalid("not a job snapshot: " + wrong.getMessage());
        }
    }

    private static List<TaskImage> tasks(JsonObject json) {
        List<TaskImage> tasks = new ArrayList<>();
        JsonArray all = json.has("tasks") ? json.getAsJsonArray("tasks") : new JsonArray();
        for (JsonElement each : all) {
            JsonObject task = each.getAsJsonObject();
            List<TaskImage.Subtask> subtasks = new ArrayList<>();
            for (JsonElement one : task.getAsJsonArray("subtasks")) {
                JsonObject subtask = one.getAsJsonObject();
                subtasks.add(
                        new TaskImage.Subtask(
                                TaskState.valueOf(EventJson.text(subtask, "state")),
                                EventJson.figures(subtask),
                                EventJson.find(subtask, "failure")));
            }
            List<TaskScaling> scalings = EventJson.scalings(task, task.get("id").getAsInt());
            tasks.add(new TaskImage(JobEvent.Task.of(task, subtasks.size()), subtasks, scalings));
        }
        return tasks;
    }
}
