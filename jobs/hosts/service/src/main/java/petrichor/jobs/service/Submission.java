package petrichor.jobs.service;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.nio.file.Path;
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

    /** As the body of a request has it. */
    public JsonObject json() {
        return ProgressJson.of(StatusMessages.of(this));
    }

    /** Reads {@link #json} of a new job; all members may be absent, and none may be unknown. */
    public static Submission parse(String text) {
        try {
            JsonObject json = JsonParser.parseString(text).getAsJsonObject();
            if (json.has("resumes")) {
                throw PetrichorException.invalid(
                        "a submission cannot name a job to resume; use POST /jobs/ID/resume");
            }
            return StatusMessages.submission(
                    ProgressJson.parseStrictly(json, Progress.Submission.newBuilder()).build());
        } catch (JsonParseException | IllegalStateException wrong) {
            throw PetrichorException.invalid(
                    "a job is described by {\"class\": TEXT, \"arguments\": [TEXT, ...],"
                        + " \"workers\": NUMBER, \"backend\": TEXT, \"learned\": BOOLEAN,"
                        + " \"trial\": BOOLEAN, \"parallelism\": {CONTRACT: NUMBER, ...},"
                        + " \"elastic\": BOOLEAN, \"cloud\": {...}}, all optional; the submission"
                        + " is invalid");
        }
    }
}
