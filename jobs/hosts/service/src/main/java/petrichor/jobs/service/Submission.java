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
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.hosted.StageRuntime;
import petrichor.jobs.engine.workers.WorkerSource;
import petrichor.jobs.engine.workers.Workers;
import petrichor.jobs.jobgraph.Annotations;
import petrichor.jobs.leased.LeaseTerms;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.local.PlanFiles;
import petrichor.jobs.pact.compiler.Compiler;
import petrichor.jobs.tuning.LiveScaling;

/**
 * A request to run a job.
 *
 * @param program name of the class, a {@link petrichor.jobs.local.JobProgram}; null for the one
 *     that the jar's manifest names
 * @param execution where its tasks run
 * @param learned whether its tasks get as many subtasks as earlier runs taught
 * @param trial whether it is only to be measured: then nothing of its results remains
 * @param parallelism how many subtasks contracts have, by their signatures, whatever the plan or
 *     earlier runs say
 * @param resumes the job that it resumes; null if it begins one
 */
public record Submission(
        @Nullable String program,
        List<String> arguments,
        Execution execution,
        boolean learned,
        boolean trial,
        Map<String, Integer> parallelism,
        @Nullable String resumes) {
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
                            + " characters; put more into a file and pass its name");
        }
    }

    /** In threads of one process. */
    public Submission(@Nullable String program, List<String> arguments) {
        this(program, arguments, new Execution.Threads(false), false, false, Map.of(), null);
    }

    /** With its tasks there. */
    public Submission with(Execution mode) {
        return new Submission(program, arguments, mode, learned, trial, parallelism, resumes);
    }

    /** With what earlier runs taught. */
    public Submission withLearned() {
        return new Submission(program, arguments, execution, true, trial, parallelism, resumes);
    }

    /** Only to be measured, with these numbers of subtasks. */
    public Submission onTrial(Map<String, Integer> subtasks) {
        return new Submission(program, arguments, execution, learned, true, subtasks, resumes);
    }

    /** The same, resuming that job. */
    Submission resuming(String job) {
        return new Submission(program, arguments, execution, learned, trial, parallelism, job);
    }

    /** By what terms it leases machines; null if it leases none. */
    public @Nullable LeaseTerms cloud() {
        return execution instanceof Execution.LeasedMachines(var terms) ? terms : null;
    }

    /** With what was learned, if that is wanted. */
    Submission taught(JobHistory history) {
        if (!learned) {
            return this;
        }
        Map<String, Integer> all = new HashMap<>(history.learned());
        all.putAll(parallelism);
        return new Submission(program, arguments, execution, true, trial, all, resumes);
    }

    /** The other runtime that runs its tasks, to be closed when it has ended; null if none does. */
    @Nullable StageRuntime runtime(Path jar) {
        return execution instanceof Execution.OtherRuntime(var address)
                ? Backends.open(address, PlanFiles.isDocument(jar) ? List.of() : List.of(jar))
                : null;
    }

    /**
     * How its plan is run.
     *
     * @param runtime of {@link #runtime}
     * @param leased where it gets its workers from, if it leases machines
     */
    Jobs jobs(
            Path jar,
            EngineOptions options,
            @Nullable StageRuntime runtime,
            @Nullable WorkerSource leased) {
        Jobs jobs = Jobs.local().with(Compiler.standard().with(parallelism)).with(options);
        jobs =
                switch (execution) {
                    case Execution.Threads(var elastic) ->
                            elastic
                                    ? jobs.with(options.withScaling(LiveScaling::ofThisMachine))
                                    : jobs;
                    case Execution.WorkerProcesses(var count) ->
                            jobs.with(Workers.sharingHeap(count).withJars(List.of(jar)));
                    case Execution.LeasedMachines _ -> leased == null ? jobs : jobs.with(leased);
                    case Execution.OtherRuntime _ -> runtime == null ? jobs : jobs.with(runtime);
                };
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
        json.addProperty(
                "workers", execution instanceof Execution.WorkerProcesses(var count) ? count : 0);
        json.addProperty("backend", execution instanceof Execution.OtherRuntime(var at) ? at : "");
        json.addProperty("learned", learned);
        json.addProperty("trial", trial);
        json.addProperty("elastic", execution instanceof Execution.Threads(var elastic) && elastic);
        JsonObject subtasks = new JsonObject();
        parallelism.forEach(subtasks::addProperty);
        json.add("parallelism", subtasks);
        if (execution instanceof Execution.LeasedMachines(var terms)) {
            json.add("cloud", CloudJson.of(terms));
        }
        EventJson.add(json, "resumes", resumes);
    }

    /** Reads {@link #json} of one that begins back; all of it may be missing. */
    public static Submission parse(String text) {
        try {
            Submission submission = of(JsonParser.parseString(text).getAsJsonObject());
            if (submission.resumes() != null) {
                throw PetrichorException.invalid(
                        "a submission cannot name a job to resume; use POST /jobs/ID/resume");
            }
            return submission;
        } catch (JsonParseException
                | IllegalStateException
                | UnsupportedOperationException
                | ClassCastException
                | NumberFormatException wrong) {
            throw PetrichorException.invalid(
                    "a job is described by {\"class\": TEXT, \"arguments\": [TEXT, ...],"
                        + " \"workers\": NUMBER, \"backend\": TEXT, \"learned\": BOOLEAN,"
                        + " \"trial\": BOOLEAN, \"parallelism\": {CONTRACT: NUMBER, ...},"
                        + " \"elastic\": BOOLEAN, \"cloud\": {...}}, all optional; the submission"
                        + " is invalid");
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
                Execution.of(
                        json.has("workers") ? json.get("workers").getAsInt() : 0,
                        json.has("backend") ? json.get("backend").getAsString() : "",
                        json.has("elastic") && json.get("elastic").getAsBoolean(),
                        json.has("cloud") ? CloudJson.terms(json.getAsJsonObject("cloud")) : null),
                json.has("learned") && json.get("learned").getAsBoolean(),
                json.has("trial") && json.get("trial").getAsBoolean(),
                parallelism(json),
                EventJson.find(json, "resumes"));
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
