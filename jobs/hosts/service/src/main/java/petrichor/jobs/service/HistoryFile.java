package petrichor.jobs.service;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import petrichor.base.FileProblem;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.TaskSignature;

/**
 * The jobs that have ended, a JSON object per line, the latest last. Lines are appended; when there
 * are twice as many as are remembered, the file is written anew. A line that was cut off by a crash
 * is left out. Safe for all threads.
 */
final class HistoryFile {
    private final Path file;
    private JobHistory history;
    private int lines;

    private HistoryFile(Path file, JobHistory history, int lines) {
        this.file = file;
        this.history = history;
        this.lines = lines;
    }

    static HistoryFile open(Path file, int jobsMax) {
        JobHistory history = new JobHistory(List.of(), jobsMax);
        int lines = 0;
        try {
            if (Files.exists(file)) {
                for (String line : Files.readAllLines(file)) {
                    lines++;
                    try {
                        history = history.with(parse(line));
                    } catch (RuntimeException cutOff) {
                        System.getLogger(HistoryFile.class.getName())
                                .log(
                                        System.Logger.Level.WARNING,
                                        "line "
                                                + lines
                                                + " of "
                                                + file
                                                + " is not a job record; skipped");
                    }
                }
            }
            return new HistoryFile(file, history, lines);
        } catch (IOException e) {
            throw FileProblem.of("cannot read the history of jobs in " + file, e);
        }
    }

    synchronized JobHistory history() {
        return history;
    }

    /** What cannot be written is remembered as long as this process lives. */
    synchronized void add(JobRecord job) {
        history = history.with(job);
        try {
            if (lines >= 2 * history.jobsMax()) {
                rewrite();
            } else {
                // The line before may have been cut off: a line of its own begins with its end.
                Files.writeString(
                        file,
                        (lines == 0 ? "" : "\n") + json(job),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.APPEND);
                lines++;
            }
        } catch (IOException e) {
            System.getLogger(HistoryFile.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "the job " + job.id() + " is missing in " + file,
                            e);
        }
    }

    private void rewrite() throws IOException {
        List<String> all = new ArrayList<>();
        history.jobs().reversed().forEach(job -> all.add(json(job).toString()));
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(fresh, String.join("\n", all));
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        lines = all.size();
    }

    static JsonObject json(JobRecord job) {
        JsonObject json = new JsonObject();
        json.addProperty("id", job.id());
        json.addProperty("name", job.name());
        json.addProperty("state", job.state().name());
        json.addProperty("begun", job.begun().toString());
        json.addProperty("elapsedMillis", job.elapsed().toMillis());
        EventJson.add(json, "failure", job.failure());
        EventJson.add(json, "resumes", job.resumes());
        JsonArray tasks = new JsonArray();
        for (TaskRecord task : job.tasks()) {
            JsonObject one = new JsonObject();
            one.addProperty("name", task.name());
            one.addProperty("signature", task.signature().digits());
            one.addProperty("parallelism", task.parallelism());
            one.addProperty("recordsIn", task.recordsIn());
            one.addProperty("recordsOut", task.recordsOut());
            one.addProperty("processingMillis", task.processing().toMillis());
            one.addProperty("waitingMillis", task.waiting().toMillis());
            lesson(one, task.lesson());
            if (!task.scalings().isEmpty()) {
                one.add("scalings", EventJson.scalings(task.scalings()));
            }
            tasks.add(one);
        }
        json.add("tasks", tasks);
        CloudJson.add(json, job.cost());
        CountersJson.add(json, job.counters());
        RunReport.addTo(json, job.attempts());
        return json;
    }

    private static void lesson(JsonObject task, TaskLesson lesson) {
        if (lesson.parallelism() > 0) {
            JsonObject json = new JsonObject();
            json.addProperty("bottleneck", lesson.finding());
            json.addProperty("parallelism", lesson.parallelism());
            json.addProperty("reason", lesson.reason());
            JsonArray contracts = new JsonArray();
            lesson.contracts().forEach(contracts::add);
            json.add("contracts", contracts);
            task.add("lesson", json);
        }
    }

    /** Those that older versions have written have none. */
    private static TaskLesson lesson(JsonObject task) {
        if (!task.has("lesson")) {
            return TaskLesson.NONE;
        }
        JsonObject json = task.getAsJsonObject("lesson");
        List<String> contracts = new ArrayList<>();
        json.getAsJsonArray("contracts").forEach(each -> contracts.add(each.getAsString()));
        return new TaskLesson(
                EventJson.text(json, "bottleneck"),
                json.get("parallelism").getAsInt(),
                EventJson.text(json, "reason"),
                contracts);
    }

    private static JobRecord parse(String line) {
        JsonObject json = JsonParser.parseString(line).getAsJsonObject();
        List<TaskRecord> tasks = new ArrayList<>();
        for (JsonElement each : json.getAsJsonArray("tasks")) {
            JsonObject one = each.getAsJsonObject();
            tasks.add(
                    new TaskRecord(
                            EventJson.text(one, "name"),
                            new TaskSignature(EventJson.text(one, "signature")),
                            one.get("parallelism").getAsInt(),
                            one.get("recordsIn").getAsLong(),
                            one.get("recordsOut").getAsLong(),
                            Duration.ofMillis(one.get("processingMillis").getAsLong()),
                            Duration.ofMillis(one.get("waitingMillis").getAsLong()),
                            lesson(one),
                            EventJson.scalings(one, 0)));
        }
        return new JobRecord(
                EventJson.text(json, "id"),
                EventJson.text(json, "name"),
                JobState.valueOf(EventJson.text(json, "state")),
                Instant.parse(EventJson.text(json, "begun")),
                Duration.ofMillis(json.get("elapsedMillis").getAsLong()),
                EventJson.find(json, "failure"),
                tasks,
                CloudJson.cost(json),
                CountersJson.of(json),
                EventJson.find(json, "resumes"),
                RunReport.attempts(json));
    }
}
