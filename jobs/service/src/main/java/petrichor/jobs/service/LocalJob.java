package petrichor.jobs.service;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobResult;
import petrichor.jobs.engine.hosted.StageRuntime;
import petrichor.jobs.engine.workers.WorkerSource;
import petrichor.jobs.jobgraph.JobCounters;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.local.Arguments;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.local.PlanRun;
import petrichor.jobs.pact.Plan;

/**
 * A job that is run by this process, without a service, and is followed as if there were one. Safe
 * for all threads; its follower is called by one at a time.
 */
public final class LocalJob implements AutoCloseable {
    private final JobJar jar;
    private final @Nullable StageRuntime runtime;
    private final Consumer<JobImage> follower;
    private final PlanRun run;
    private JobImage image;

    private LocalJob(
            JobJar jar,
            Plan plan,
            Submission submission,
            Jobs jobs,
            @Nullable StageRuntime runtime,
            Consumer<JobImage> follower) {
        this.jar = jar;
        this.runtime = runtime;
        this.follower = follower;
        this.image =
                JobImage.submitted("local", plan.name(), submission, Instant.now())
                        .apply(new JobEvent.Moved(JobState.RUNNING), Instant.now());
        this.run = jobs.start(plan, new RunEvents(plan.name(), this::happened));
    }

    /** Fails as the program fails that writes the plan. */
    public static LocalJob start(Path file, Submission submission, Consumer<JobImage> follower) {
        StageRuntime runtime = submission.runtime(file);
        try {
            Jobs jobs = submission.jobs(file, EngineOptions.ofThisProcess(), runtime, null);
            return start(file, submission, jobs, runtime, follower);
        } catch (RuntimeException e) {
            if (runtime != null) {
                runtime.close();
            }
            throw e;
        }
    }

    /** On workers from elsewhere, which must have the jar. */
    public static LocalJob start(
            Path file, Submission submission, WorkerSource workers, Consumer<JobImage> follower) {
        return start(file, submission, Jobs.local().with(workers), null, follower);
    }

    private static LocalJob start(
            Path file,
            Submission submission,
            Jobs jobs,
            @Nullable StageRuntime runtime,
            Consumer<JobImage> follower) {
        JobJar jar = JobJar.open(file);
        try {
            Plan plan = jar.plan(submission.program(), Arguments.of(submission.arguments()));
            return new LocalJob(jar, plan, submission, jobs, runtime, follower);
        } catch (RuntimeException e) {
            jar.close();
            throw e;
        }
    }

    /** What would be run, and why so. Nothing is run. */
    public static List<JobEvent.PlanPart> explain(Path file, Submission submission) {
        try (JobJar jar = JobJar.open(file)) {
            Plan plan = jar.plan(submission.program(), Arguments.of(submission.arguments()));
            return Jobs.local().explain(plan).stream().map(RunEvents::part).toList();
        }
    }

    /** Removes what a run left that was killed: parts of results that were not shown yet. */
    public static void clean(Path file, Submission submission) {
        try (JobJar jar = JobJar.open(file)) {
            Plan plan = jar.plan(submission.program(), Arguments.of(submission.arguments()));
            Jobs.local().clean(plan);
        }
    }

    private synchronized void happened(JobEvent event) {
        image = image.apply(event, Instant.now());
        follower.accept(image);
    }

    public void cancel() {
        run.cancel();
    }

    /** Its image at the end, which says whether it succeeded. */
    public JobImage await() {
        long spilled = 0;
        JobCounters counters = JobCounters.NONE;
        ErrorCode code = null;
        String why = null;
        JobState state = JobState.FINISHED;
        try {
            Jobs.Done done = run.await();
            spilled = done.runs().stream().mapToLong(JobResult::spilledBytes).sum();
            counters = done.counters();
        } catch (PetrichorException failed) {
            code = failed.code();
            why = failed.getMessage();
            state = code == ErrorCode.ABORTED ? JobState.CANCELED : JobState.FAILED;
        }
        happened(new JobEvent.Ended(state, code, why, Duration.ZERO, spilled).with(counters));
        synchronized (this) {
            return image;
        }
    }

    @Override
    public void close() {
        if (runtime != null) {
            runtime.close();
        }
        jar.close();
    }
}
