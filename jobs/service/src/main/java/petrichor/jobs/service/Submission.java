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
import petrichor.jobs.jobgraph.JobHistory;
import petrichor.jobs.leased.LeaseTerms;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.local.PlanFiles;
import petrichor.jobs.pact.compiler.Compiler;
import petrichor.jobs.tuning.LiveScaling;

/**
 * What somebody wants to be run.
 *
 * @param program name of the class, a {@link petrichor.jobs.local.JobProgram}; null for the one
 *     that the jar's manifest names
 * @param workers how many processes its tasks run in; 0 for the process that has the plan
 * @param backend what carries its tasks, as {@link Backends#open} takes it; empty for our own
 *     engine
 * @param learned whether its tasks get as many subtasks as earlier runs taught
 * @param trial whether it is only to be measured: then nothing of its results remains
 * @param parallelism how many subtasks contracts have, by their signatures, whatever the plan or
 *     earlier runs say
 * @param elastic whether stateless tasks get more subtasks while they hold the job up, and lose
 *     them again
 * @param cloud by what terms it leases machines for its stages; null if it leases none
 * @param resumes the job that it goes on with; null if it begins one
 */
public record Submission(
        @Nullable String program,
        List<String> arguments,
        int workers,
        String backend,
        boolean learned,
        boolean trial,
        Map<String, Integer> parallelism,
        boolean elastic,
        @Nullable LeaseTerms cloud,
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
        if (workers < 0 || workers > Workers.COUNT_MAX) {
            throw PetrichorException.invalid(
                    "a job runs in at most "
                            + Workers.COUNT_MAX
                            + " workers (0: in one process), not "
                            + workers);
        }
        if (workers > 0 && !backend.isEmpty()) {
            throw PetrichorException.invalid("workers and a backend exclude each other");
        }
        if (elastic && (workers > 0 || !backend.isEmpty())) {
            throw PetrichorException.invalid(
                    "elastic scaling needs a job in one process: elastic cannot be combined with"
                            + " workers or a backend");
        }
        if (cloud != null && (workers > 0 || elastic || !backend.isEmpty())) {
            throw PetrichorException.invalid(
                    "cloud cannot be combined with workers, backend or elastic: a job on leased"
                            + " machines runs workers on them");
        }
    }

    public Submission(@Nullable String program, List<String> arguments) {
        this(program, arguments, 0, "", false, false, Map.of(), false, null, null);
    }

    /** With its tasks in so many processes. */
    public Submission with(int processes) {
        return new Submission(
                program,
                arguments,
                processes,
                backend,
                learned,
                trial,
                parallelism,
                elastic,
                cloud,
                resumes);
    }

    /** With its tasks carried by another runtime. */
    public Submission on(String otherBackend) {
        return new Submission(
                program,
                arguments,
                workers,
                otherBackend,
                learned,
                trial,
                parallelism,
                elastic,
                cloud,
                resumes);
    }

    /** With what earlier runs taught. */
    public Submission withLearned() {
        return new Submission(
                program,
                arguments,
                workers,
                backend,
                true,
                trial,
                parallelism,
                elastic,
                cloud,
                resumes);
    }

    /** Only to be measured, with these numbers of subtasks. */
    public Submission onTrial(Map<String, Integer> subtasks) {
        return new Submission(
                program, arguments, workers, backend, learned, true, subtasks, elastic, cloud,
                resumes);
    }

    /** With as many subtasks as its stateless tasks need while it runs. */
    public Submission withElasticity() {
        return new Submission(
                program,
                arguments,
                workers,
                backend,
                learned,
                trial,
                parallelism,
                true,
                cloud,
                resumes);
    }

    /** On machines that are leased for its stages. */
    public Submission leasing(LeaseTerms terms) {
        return new Submission(
                program,
                arguments,
                workers,
                backend,
                learned,
                trial,
                parallelism,
                elastic,
                terms,
                resumes);
    }

    /** The same, going on where that job stopped. */
    Submission resuming(String job) {
        return new Submission(
                program,
                arguments,
                workers,
                backend,
                learned,
                trial,
                parallelism,
                elastic,
                cloud,
                job);
    }

    /** With what was learned, if that is wanted. */
    Submission taught(JobHistory history) {
        if (!learned) {
            return this;
        }
        Map<String, Integer> all = new HashMap<>(history.learned());
        all.putAll(parallelism);
        return new Submission(
                program, arguments, workers, backend, true, trial, all, elastic, cloud, resumes);
    }

    /** What carries its tasks, to be closed when it has ended; null for our own engine. */
    @Nullable StageRuntime runtime(Path jar) {
        return backend.isEmpty()
                ? null
                : Backends.open(backend, PlanFiles.isDocument(jar) ? List.of() : List.of(jar));
    }

    /**
     * Where it runs: here, in workers that share as much heap as this process may have, or
     * elsewhere.
     *
     * @param runtime of {@link #runtime}
     * @param leased where it gets its workers from, if it leases machines
     */
    Jobs jobs(
            Path jar,
            EngineOptions options,
            @Nullable StageRuntime runtime,
            @Nullable WorkerSource leased) {
        EngineOptions own = elastic ? options.withScaling(LiveScaling::ofThisMachine) : options;
        Jobs jobs = Jobs.local().with(Compiler.standard().with(parallelism)).with(own);
        if (runtime != null) {
            jobs = jobs.with(runtime);
        } else if (leased != null) {
            jobs = jobs.with(leased);
        } else if (workers > 0) {
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
        json.addProperty("backend", backend);
        json.addProperty("learned", learned);
        json.addProperty("trial", trial);
        json.addProperty("elastic", elastic);
        JsonObject subtasks = new JsonObject();
        parallelism.forEach(subtasks::addProperty);
        json.add("parallelism", subtasks);
        if (cloud != null) {
            json.add("cloud", CloudJson.of(cloud));
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
                json.has("workers") ? json.get("workers").getAsInt() : 0,
                json.has("backend") ? json.get("backend").getAsString() : "",
                json.has("learned") && json.get("learned").getAsBoolean(),
                json.has("trial") && json.get("trial").getAsBoolean(),
                parallelism(json),
                json.has("elastic") && json.get("elastic").getAsBoolean(),
                json.has("cloud") ? CloudJson.terms(json.getAsJsonObject("cloud")) : null,
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
