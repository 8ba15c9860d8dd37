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
 * @param program class name of a {@link petrichor.jobs.local.JobProgram}; null for the one that the
 *     jar's manifest names
 * @param execution where the tasks run
 * @param learned whether to use the parallelism learned from earlier runs
 * @param trial whether the job is only measured; its results are discarded
 * @param parallelism number of subtasks of contracts, by signature; overrides the plan and earlier
 *     runs
 * @param resumes the stopped job that this one resumes; null if none
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

    /** A job in the threads of one process. */
    public Submission(@Nullable String program, List<String> arguments) {
        this(program, arguments, new Execution.Threads(false), false, false, Map.of(), null);
    }

    /** Runs the tasks in another execution mode. */
    public Submission with(Execution mode) {
        return new Submission(program, arguments, mode, learned, trial, parallelism, resumes);
    }

    /** Uses the parallelism learned from earlier runs. */
    public Submission withLearned() {
        return new Submission(program, arguments, execution, true, trial, parallelism, resumes);
    }

    /** Measures the job with this parallelism; no results are kept. */
    public Submission onTrial(Map<String, Integer> subtasks) {
        return new Submission(program, arguments, execution, learned, true, subtasks, resumes);
    }

    /** The same submission, as a job that resumes the given one. */
    Submission resuming(String job) {
        return new Submission(program, arguments, execution, learned, trial, parallelism, job);
    }

    /** The terms of leasing; null if no machines are leased. */
    public @Nullable LeaseTerms cloud() {
        return execution instanceof Execution.LeasedMachines(var terms) ? terms : null;
    }

    /** Adds the learned parallelism, if it was requested. */
    Submission taught(JobHistory history) {
        if (!learned) {
            return this;
        }
        Map<String, Integer> all = new HashMap<>(history.learned());
        all.putAll(parallelism);
        return new Submission(program, arguments, execution, true, trial, all, resumes);
    }

    /**
     * The runtime that runs the tasks, to be closed after the job; null if the tasks run in
     * Petrichor's processes.
     */
    @Nullable StageRuntime runtime(Path jar) {
        return execution instanceof Execution.OtherRuntime(var address)
                ? Backends.open(address, PlanFiles.isDocument(jar) ? List.of() : List.of(jar))
                : null;
    }

    /**
     * How the plan is run.
     *
     * @param runtime from {@link #runtime}
     * @param leased source of workers, if machines are leased
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

    /** The body of an HTTP request. */
    public JsonObject json() {
        return ProgressJson.of(StatusMessages.of(this));
    }

    /** Parses {@link #json} of a new job. All members are optional; an unknown one is refused. */
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
