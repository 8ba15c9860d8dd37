package petrichor.jobs.service;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.Workers;
import petrichor.jobs.jobgraph.Annotations;
import petrichor.jobs.jobgraph.JobHistory;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.pact.compiler.Compiler;

/**
 * What somebody wants to be run.
 *
 * @param program name of the class, a {@link petrichor.jobs.local.JobProgram}; null for the one
 *     that the jar's manifest names
 * @param workers how many processes its tasks run in; 0 for the process that has the plan
 * @param learned whether its tasks get as many subtasks as earlier runs taught
 * @param trial whether it is only to be measured: then nothing of its results remains
 * @param parallelism how many subtasks contracts have, by their signatures, whatever the plan or
 *     earlier runs say
 */
public record Submission(
        @Nullable String program,
        List<String> arguments,
        int workers,
        boolean learned,
        boolean trial,
        Map<String, Integer> parallelism) {
    public static final int ARGUMENTS_MAX = 1_000;
    public static final int ARGUMENT_CHARS_MAX = 8_192;

    public Submission {
        arguments = List.copyOf(arguments);
        parallelism = Map.copyOf(parallelism);
        parallelism.values().forEach(Annotations::parallel);
        if (arguments.size() > ARGUMENTS_MAX
                || arguments.stream().anyMatch(one -> one.length() > ARGUMENT_CHARS_MAX)) {
            throw PetrichorException.invalid(
                    "a job takes at most "
                            + ARGUMENTS_MAX
                            + " arguments of "
                            + ARGUMENT_CHARS_MAX
                            + " characters; put the rest into a file and name that");
        }
        if (workers < 0 || workers > Workers.COUNT_MAX) {
            throw PetrichorException.invalid(
                    "a job runs in at most "
                            + Workers.COUNT_MAX
                            + " workers (0: in one process), not "
                            + workers);
        }
    }

    public Submission(@Nullable String program, List<String> arguments) {
        this(program, arguments, 0);
    }

    public Submission(@Nullable String program, List<String> arguments, int workers) {
        this(program, arguments, workers, false, false, Map.of());
    }

    /** With what earlier runs taught. */
    public Submission withLearned() {
        return new Submission(program, arguments, workers, true, trial, parallelism);
    }

    /** Only to be measured, with these numbers of subtasks. */
    public Submission onTrial(Map<String, Integer> subtasks) {
        return new Submission(program, arguments, workers, learned, true, subtasks);
    }

    /** With what was learned, if that is wanted. */
    Submission taught(JobHistory history) {
        if (!learned) {
            return this;
        }
        Map<String, Integer> all = new HashMap<>(history.learned());
        all.putAll(parallelism);
        return new Submission(program, arguments, workers, true, trial, all);
    }

    /** Where it runs: here, or in workers that share as much heap as this process may have. */
    Jobs jobs(Path jar) {
        Jobs jobs = Jobs.local().with(Compiler.standard().with(parallelism));
        if (workers > 0) {
            jobs = jobs.with(Workers.sharingHeap(workers).withJars(List.of(jar)));
        }
        return trial ? jobs.onTrial() : jobs;
    }

    /** As an object with a member for each component; the program's is {@code class}. */
    public JsonObject json() {
        JsonObject json = new JsonObject();
        addTo(json);
        return json;
    }

    void addTo(JsonObject json) {
        EventJson.add(json, "class", program);
        JsonArray all = new JsonArray();
        arguments.forEach(all::add);
        json.add("arguments", all);
        json.addProperty("workers", workers);
        json.addProperty("learned", learned);
        json.addProperty("trial", trial);
        JsonObject subtasks = new JsonObject();
        parallelism.forEach(subtasks::addProperty);
        json.add("parallelism", subtasks);
    }

    /** Reads {@link #json} back; all of it may be missing. */
    public static Submission parse(String text) {
        try {
            return of(JsonParser.parseString(text).getAsJsonObject());
        } catch (JsonParseException
                | IllegalStateException
                | UnsupportedOperationException
                | NumberFormatException wrong) {
            throw PetrichorException.invalid(
                    "a job is described by {\"class\": TEXT, \"arguments\": [TEXT, ...],"
                        + " \"workers\": NUMBER, \"learned\": BOOLEAN, \"trial\": BOOLEAN,"
                        + " \"parallelism\": {CONTRACT: NUMBER, ...}}, of which all may be missing;"
                        + " this is something else");
        }
    }

    static Submission of(JsonObject json) {
        List<String> arguments = new ArrayList<>();
        if (json.has("arguments")) {
            for (JsonElement one : json.getAsJsonArray("arguments")) {
                arguments.add(one.getAsString());
            }
        }
        return new Submission(
                EventJson.find(json, "class"),
                arguments,
                json.has("workers") ? json.get("workers").getAsInt() : 0,
                json.has("learned") && json.get("learned").getAsBoolean(),
                json.has("trial") && json.get("trial").getAsBoolean(),
                parallelism(json));
    }

    private static Map<String, Integer> parallelism(JsonObject json) {
        Map<String, Integer> all = new HashMap<>();
        if (json.has("parallelism")) {
            json.getAsJsonObject("parallelism")
                    .entrySet()
                    .forEach(each -> all.put(each.getKey(), each.getValue().getAsInt()));
        }
        return all;
    }
}
