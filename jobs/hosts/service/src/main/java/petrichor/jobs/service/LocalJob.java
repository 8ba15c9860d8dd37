package petrichor.jobs.service;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.ExitCall;
import petrichor.jobs.engine.hosted.StageRuntime;
import petrichor.jobs.engine.workers.WorkerSource;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.local.Arguments;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.pact.Plan;

/**
 * A job that is run by this process, without a service, and is followed as if there were one. Safe
 * for all threads; its follower is called by one at a time.
 */
public final class LocalJob implements AutoCloseable {
    private final JobJar jar;
    private final @Nullable StageRuntime runtime;
    private final Consumer<JobSnapshot> follower;
    private final ProgramRun run;
    private JobSnapshot snapshot;

    private LocalJob(
            JobJar jar,
            Submission submission,
            Jobs jobs,
            @Nullable StageRuntime runtime,
            Consumer<JobSnapshot> follower) {
        this.jar = jar;
        this.runtime = runtime;
        this.follower = follower;
        String program = submission.program();
        this.snapshot =
                JobSnapshot.submitted(
                                "local",
                                program == null ? "job" : program,
                                submission,
                                Instant.now())
                        .apply(EventMessages.moved(JobState.RUNNING), Instant.now());
        this.run = ProgramRun.start(jar, submission, jobs, this::happened);
        synchronized (this) {
            snapshot = snapshot.named(run.name());
        }
    }

    /** Fails as the program fails that writes the plan. */
    public static LocalJob start(Path file, Submission submission, Consumer<JobSnapshot> follower) {
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
            Path file,
            Submission submission,
            WorkerSource workers,
            Consumer<JobSnapshot> follower) {
        return start(file, submission, Jobs.local().with(workers), null, follower);
    }

    private static LocalJob start(
            Path file,
            Submission submission,
            Jobs jobs,
            @Nullable StageRuntime runtime,
            Consumer<JobSnapshot> follower) {
        JobJar jar = JobJar.open(file);
        try {
            return new LocalJob(jar, submission, jobs, runtime, follower);
        } catch (RuntimeException e) {
            jar.close();
            throw e;
        }
    }

    /** Compiles the plan and explains it, without running it. */
    public static List<Progress.PlanPart> explain(Path file, Submission submission) {
        try (JobJar jar = JobJar.open(file)) {
            Plan plan = jar.plan(submission.program(), Arguments.of(submission.arguments()));
            return Jobs.local().explain(plan).stream().map(RunEvents::part).toList();
        }
    }

    /** Removes the unpublished results of a killed run. */
    public static void clean(Path file, Submission submission) {
        try (JobJar jar = JobJar.open(file)) {
            Plan plan = jar.plan(submission.program(), Arguments.of(submission.arguments()));
            Jobs.local().clean(plan);
        }
    }

    private synchronized void happened(Progress.Event event) {
        snapshot = snapshot.apply(event, Instant.now());
        follower.accept(snapshot);
    }

    public void cancel() {
        run.cancel();
    }

    /** Ends the job because its own code exits this process. */
    public void stop(ExitCall call) {
        run.stop(call);
    }

    /**
     * Whether this call ends the program's {@code main}. Submitted plans still run to their end,
     * and {@link #await()} waits for them.
     */
    public boolean endsMain(ExitCall call) {
        return run.endsMain(call);
    }

    /** Whether the program is a {@code main}, which prints its results itself. */
    public boolean isMain() {
        return run.isMain();
    }

    /** Its snapshot at the end, which says whether it succeeded. */
    public JobSnapshot await() {
        happened(EventMessages.ended(run.await()));
        synchronized (this) {
            return snapshot;
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
