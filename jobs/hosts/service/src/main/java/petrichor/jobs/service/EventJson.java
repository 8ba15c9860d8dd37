package petrichor.jobs.service;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.ChannelFigures;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.SubtaskFigures;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskScaling;
import petrichor.jobs.jobgraph.TaskState;

/** Events as JSON objects, both ways; {@code event} says which. Stateless. */
public final class EventJson {
    private EventJson() {}

    /** What kind of event this is, as it is called in JSON. */
    public static String name(JobEvent event) {
        return switch (event) {
            case JobEvent.Moved _ -> "job";
            case JobEvent.Compiled _ -> "compiled";
            case JobEvent.Began _ -> "began";
            case JobEvent.SubtaskMoved _ -> "subtask";
            case JobEvent.Measured _ -> "figures";
            case JobEvent.Scaled _ -> "scaled";
            case JobEvent.Restarted _ -> "restarted";
            case JobEvent.PlanStarted _ -> "plan-started";
            case JobEvent.PlanEnded _ -> "plan-ended";
            case JobEvent.Printed _ -> "printed";
            case JobEvent.Exiting _ -> "exiting";
            case JobEvent.Alive _ -> "alive";
            case JobEvent.Ended _ -> "ended";
        };
    }

    public static JsonObject of(JobEvent event) {
        JsonObject json = new JsonObject();
        json.addProperty("event", name(event));
        switch (event) {
            case JobEvent.Moved(var to) -> json.addProperty("state", to.name());
            case JobEvent.Compiled(var plan, var parts) -> {
                json.addProperty("plan", plan);
                json.add("parts", parts(parts));
            }
            case JobEvent.Began began -> began(json, began);
            case JobEvent.SubtaskMoved(var subtask, var to, var why) -> {
                json.addProperty("task", subtask.vertex());
                json.addProperty("subtask", subtask.subtask());
                json.addProperty("state", to.name());
                add(json, "failure", why);
            }
            case JobEvent.Measured(var figures) -> {
                JsonArray all = new JsonArray();
                figures.forEach(
                        (id, one) -> {
                            JsonObject subtask = new JsonObject();
                            subtask.addProperty("task", id.vertex());
                            subtask.addProperty("subtask", id.subtask());
                            write(subtask, one);
                            all.add(subtask);
                        });
                json.add("subtasks", all);
            }
            case JobEvent.Scaled(var scaling, var joined) -> {
                json.addProperty("task", scaling.vertex());
                write(json, scaling);
                JsonArray all = new JsonArray();
                for (SubtaskId id : joined) {
                    JsonObject subtask = new JsonObject();
                    subtask.addProperty("task", id.vertex());
                    subtask.addProperty("subtask", id.subtask());
                    all.add(subtask);
                }
                json.add("joined", all);
            }
            case JobEvent.Restarted(var stage, var why) -> {
                json.addProperty("stage", stage);
                json.addProperty("why", why);
            }
            case JobEvent.PlanStarted(var program, var name) -> {
                json.addProperty("program", program);
                json.addProperty("name", name);
            }
            case JobEvent.PlanEnded(var plan) -> json.add("plan", RunReport.json(plan));
            case JobEvent.Printed(var error, var text) -> {
                json.addProperty("error", error);
                json.addProperty("text", text);
            }
            case JobEvent.Exiting(var end) -> ended(json, end);
            case JobEvent.Alive() -> {}
            case JobEvent.Ended ended -> ended(json, ended);
        }
        return json;
    }

    private static void ended(JsonObject json, JobEvent.Ended ended) {
        json.addProperty("state", ended.state().name());
        ErrorCode code = ended.code();
        add(json, "code", code == null ? null : code.name());
        add(json, "failure", ended.why());
        json.addProperty("elapsedMillis", ended.elapsed().toMillis());
        json.addProperty("spilledBytes", ended.spilledBytes());
        CloudJson.add(json, ended.cost());
        CountersJson.add(json, ended.counters());
        if (ended.exitStatus() != null) {
            json.addProperty("exitStatus", ended.exitStatus());
        }
    }

    static JsonArray parts(List<JobEvent.PlanPart> parts) {
        JsonArray all = new JsonArray();
        for (JobEvent.PlanPart part : parts) {
            JsonObject one = new JsonObject();
            one.addProperty("text", part.text());
            one.addProperty("json", part.json());
            one.addProperty("drawing", part.drawing());
            all.add(one);
        }
        return all;
    }

    private static void began(JsonObject json, JobEvent.Began began) {
        json.addProperty("part", began.part());
        json.addProperty("round", began.round());
        json.addProperty("stages", began.stages());
        JsonArray tasks = new JsonArray();
        for (JobEvent.Task task : began.tasks()) {
            JsonObject one = new JsonObject();
            task.addTo(one);
            one.addProperty("parallelism", task.parallelism());
            tasks.add(one);
        }
        json.add("tasks", tasks);
    }

    static void write(JsonObject json, SubtaskFigures figures) {
        json.addProperty("recordsIn", figures.recordsIn());
        json.addProperty("bytesIn", figures.bytesIn());
        json.addProperty("recordsOut", figures.recordsOut());
        json.addProperty("bytesOut", figures.bytesOut());
        json.addProperty("waitedForInputNanos", figures.waitedForInputNanos());
        json.addProperty("waitedForRoomNanos", figures.waitedForRoomNanos());
        json.addProperty("elapsedNanos", figures.elapsedNanos());
        json.addProperty("cpuNanos", figures.cpuNanos());
        json.addProperty("channelBytes", figures.channelBytes());
        json.addProperty("wireBytes", figures.wireBytes());
        json.addProperty("sourceBytesRead", figures.sourceBytesRead());
        add(json, "level", figures.level());
        JsonArray channels = new JsonArray();
        for (ChannelFigures channel : figures.channels()) {
            JsonObject one = new JsonObject();
            one.addProperty("toTask", channel.to().vertex());
            one.addProperty("toSubtask", channel.to().subtask());
            one.addProperty("bytes", channel.bytes());
            one.addProperty("waitedNanos", channel.waitedNanos());
            one.addProperty("elapsedNanos", channel.elapsedNanos());
            one.addProperty("saturation", Math.round(channel.saturation() * 1e4) / 1e4);
            channels.add(one);
        }
        json.add("channels", channels);
    }

    static void write(JsonObject json, TaskScaling scaling) {
        json.addProperty("from", scaling.from());
        json.addProperty("to", scaling.to());
        json.addProperty("atMillis", scaling.at().toMillis());
        json.addProperty("why", scaling.why());
    }

    static JsonArray scalings(List<TaskScaling> scalings) {
        JsonArray all = new JsonArray();
        for (TaskScaling scaling : scalings) {
            JsonObject one = new JsonObject();
            write(one, scaling);
            all.add(one);
        }
        return all;
    }

    /** Those of a task; those that older versions have written have none. */
    static List<TaskScaling> scalings(JsonObject json, int task) {
        List<TaskScaling> all = new ArrayList<>();
        if (json.has("scalings")) {
            json.getAsJsonArray("scalings")
                    .forEach(each -> all.add(scaling(each.getAsJsonObject(), task)));
        }
        return all;
    }

    static TaskScaling scaling(JsonObject json, int task) {
        return new TaskScaling(
                task,
                whole(json, "from"),
                whole(json, "to"),
                Duration.ofMillis(json.get("atMillis").getAsLong()),
                text(json, "why"));
    }

    static void add(JsonObject json, String name, @Nullable String value) {
        if (value != null) {
            json.addProperty(name, value);
        }
    }

    /** INVALID_ARGUMENT for what is no event: whoever tells it cannot be trusted. */
    public static JobEvent parse(String line) {
        try {
            return event(JsonParser.parseString(line).getAsJsonObject());
        } catch (JsonParseException
                | IllegalStateException
                | IllegalArgumentException
                | NullPointerException
                | UnsupportedOperationException wrong) {
            throw PetrichorException.invalid("not a job event: " + wrong.getMessage());
        }
    }

    private static JobEvent event(JsonObject json) {
        return switch (text(json, "event")) {
            case "job" -> new JobEvent.Moved(JobState.valueOf(text(json, "state")));
            case "compiled" -> {
                List<JobEvent.PlanPart> parts = new ArrayList<>();
                for (JsonElement each : json.getAsJsonArray("parts")) {
                    JsonObject one = each.getAsJsonObject();
                    parts.add(
                            new JobEvent.PlanPart(
                                    text(one, "text"), text(one, "json"), text(one, "drawing")));
                }
                yield new JobEvent.Compiled(text(json, "plan"), parts);
            }
            case "began" -> began(json);
            case "subtask" ->
                    new JobEvent.SubtaskMoved(
                            id(json),
                            TaskState.valueOf(text(json, "state")),
                            find(json, "failure"));
            case "figures" -> {
                SortedMap<SubtaskId, SubtaskFigures> figures = new TreeMap<>();
                for (JsonElement each : json.getAsJsonArray("subtasks")) {
                    figures.put(id(each.getAsJsonObject()), figures(each.getAsJsonObject()));
                }
                yield new JobEvent.Measured(figures);
            }
            case "scaled" -> {
                List<SubtaskId> joined = new ArrayList<>();
                json.getAsJsonArray("joined")
                        .forEach(each -> joined.add(id(each.getAsJsonObject())));
                yield new JobEvent.Scaled(scaling(json, whole(json, "task")), joined);
            }
            case "restarted" -> new JobEvent.Restarted(whole(json, "stage"), text(json, "why"));
            case "plan-started" ->
                    new JobEvent.PlanStarted(text(json, "program"), text(json, "name"));
            case "plan-ended" ->
                    new JobEvent.PlanEnded(RunReport.plan(json.getAsJsonObject("plan")));
            case "printed" ->
                    new JobEvent.Printed(json.get("error").getAsBoolean(), text(json, "text"));
            case "exiting" -> new JobEvent.Exiting(ended(json));
            case "alive" -> new JobEvent.Alive();
            case "ended" -> ended(json);
            case String other -> throw new IllegalArgumentException("there is no event " + other);
        };
    }

    private static JobEvent.Ended ended(JsonObject json) {
        String code = find(json, "code");
        return new JobEvent.Ended(
                JobState.valueOf(text(json, "state")),
                code == null ? null : ErrorCode.valueOf(code),
                find(json, "failure"),
                Duration.ofMillis(json.get("elapsedMillis").getAsLong()),
                json.get("spilledBytes").getAsLong(),
                CloudJson.cost(json),
                CountersJson.of(json),
                json.has("exitStatus") ? whole(json, "exitStatus") : null);
    }

    private static JobEvent.Began began(JsonObject json) {
        List<JobEvent.Task> tasks = new ArrayList<>();
        for (JsonElement each : json.getAsJsonArray("tasks")) {
            JsonObject one = each.getAsJsonObject();
            tasks.add(JobEvent.Task.of(one, whole(one, "parallelism")));
        }
        return new JobEvent.Began(
                whole(json, "part"), whole(json, "round"), whole(json, "stages"), tasks);
    }

    private static SubtaskId id(JsonObject json) {
        return new SubtaskId(whole(json, "task"), whole(json, "subtask"));
    }

    static SubtaskFigures figures(JsonObject json) {
        return new SubtaskFigures(
                json.get("recordsIn").getAsLong(),
                json.get("bytesIn").getAsLong(),
                json.get("recordsOut").getAsLong(),
                json.get("bytesOut").getAsLong(),
                json.get("waitedForInputNanos").getAsLong(),
                json.get("waitedForRoomNanos").getAsLong(),
                json.get("elapsedNanos").getAsLong(),
                json.get("cpuNanos").getAsLong(),
                json.get("channelBytes").getAsLong(),
                json.get("wireBytes").getAsLong(),
                find(json, "level"),
                channels(json),
                // Not in what earlier releases wrote.
                json.has("sourceBytesRead") ? json.get("sourceBytesRead").getAsLong() : 0);
    }

    private static List<ChannelFigures> channels(JsonObject json) {
        List<ChannelFigures> channels = new ArrayList<>();
        for (JsonElement each : json.getAsJsonArray("channels")) {
            JsonObject one = each.getAsJsonObject();
            channels.add(
                    new ChannelFigures(
                            new SubtaskId(whole(one, "toTask"), whole(one, "toSubtask")),
                            one.get("bytes").getAsLong(),
                            one.get("waitedNanos").getAsLong(),
                            one.get("elapsedNanos").getAsLong()));
        }
        return channels;
    }

    static String text(JsonObject json, String name) {
        return json.get(name).getAsString();
    }

    static @Nullable String find(JsonObject json, String name) {
        return json.has(name) ? json.get(name).getAsString() : null;
    }

    private static int whole(JsonObject json, String name) {
        return json.get(name).getAsInt();
    }
}
