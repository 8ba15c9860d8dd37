package petrichor.jobs.service;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobResult;
import petrichor.jobs.engine.ResumePoint;
import petrichor.jobs.engine.workers.WorkerSource;
import petrichor.jobs.jobgraph.JobCounters;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.leased.LeaseTerms;
import petrichor.jobs.leased.LeasedMachines;
import petrichor.jobs.local.Arguments;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.local.PlanRun;
import petrichor.jobs.pact.Plan;

/**
 * The process of one job. The first line of its standard input says which; the word {@code cancel}
 * cancels it, and the end of the input ends the process at once: whoever wanted the job is gone.
 * Events go to standard output, one per line; what user code prints goes to standard error.
 */
public final class JobProcessMain {
    static final String CANCEL = "cancel";

    /** What the process says when it can be told what to run. */
    static final String READY = "ready";

    private static final Duration ALIVE_EVERY = Duration.ofSeconds(1);

    private final PrintStream out;
    private @Nullable PlanRun run;
    private boolean cancelled;

    private JobProcessMain(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream out =
                new PrintStream(
                        new java.io.FileOutputStream(java.io.FileDescriptor.out),
                        false,
                        StandardCharsets.UTF_8);
        System.setOut(System.err);
        new JobProcessMain(out).work();
    }

    private void work() throws IOException {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            Warmth.take();
            say(READY);
            String first = in.readLine();
            if (first != null) {
                Assignment assignment = Assignment.parse(first);
                Thread.ofPlatform().name("alive").daemon().start(this::liveOn);
                Thread.ofPlatform().name("job").daemon().start(() -> run(assignment));
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    if (line.equals(CANCEL)) {
                        cancel();
                    }
                }
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private void liveOn() {
        while (true) {
            tell(new JobEvent.Alive());
            try {
                Thread.sleep(ALIVE_EVERY);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void run(Assignment assignment) {
        long begun = System.nanoTime();
        JobEvent.Ended end;
        try {
            Jobs.@Nullable Done done = work(assignment);
            long spilled =
                    done == null
                            ? 0
                            : done.runs().stream().mapToLong(JobResult::spilledBytes).sum();
            end =
                    new JobEvent.Ended(JobState.FINISHED, null, null, since(begun), spilled)
                            .with(done == null ? JobCounters.NONE : done.counters());
        } catch (Throwable e) {
            end = ended(e, begun);
        }
        tell(end);
        Runtime.getRuntime().halt(0);
    }

    /** Null if it was only to remove what another process left. */
    private Jobs.@Nullable Done work(Assignment assignment) {
        // Not closed, as what carries its tasks: the process ends with the job.
        JobJar jar = JobJar.open(assignment.jar());
        Submission submission = assignment.submission();
        if (!submission.backend().isEmpty()) {
            Backends.silence();
        }
        Plan plan = jar.plan(submission.program(), Arguments.of(submission.arguments()));
        if (assignment.clean()) {
            jobs(assignment, null).clean(plan);
            return null;
        }
        return start(assignment, plan).await();
    }

    private static Jobs jobs(Assignment assignment, @Nullable WorkerSource leased) {
        Submission submission = assignment.submission();
        return submission.jobs(
                assignment.jar(),
                EngineOptions.ofThisProcess().withSpillFolder(assignment.folder()),
                submission.runtime(assignment.jar()),
                leased);
    }

    /**
     * What it leases is not given back here: whoever watches this process does that when it is
     * gone, however it ended.
     */
    private static @Nullable WorkerSource leased(Assignment assignment) {
        LeaseTerms terms = assignment.submission().cloud();
        if (terms == null) {
            return null;
        }
        Path folder = assignment.leases();
        Path kept = assignment.kept();
        LeasedMachines machines =
                LeasedMachines.open(
                        terms.in(folder).withJars(List.of(assignment.jar())),
                        String.valueOf(folder.getFileName()),
                        System.err::println);
        return kept == null ? machines : machines.resumable(ResumePoint.in(kept));
    }

    private PlanRun start(Assignment assignment, Plan plan) {
        synchronized (this) {
            if (cancelled) {
                throw new PetrichorException(
                        ErrorCode.ABORTED, "the job \"" + plan.name() + "\" was cancelled");
            }
            run =
                    jobs(assignment, leased(assignment))
                            .start(plan, new RunEvents(plan.name(), this::tell));
            return run;
        }
    }

    private synchronized void cancel() {
        cancelled = true;
        PlanRun running = run;
        if (running != null) {
            running.cancel();
        } else {
            // The program still writes its plan, or never will have: nothing was begun.
            tell(
                    new JobEvent.Ended(
                            JobState.CANCELED,
                            ErrorCode.ABORTED,
                            "the job was cancelled before it had a plan",
                            Duration.ZERO,
                            0));
            Runtime.getRuntime().halt(0);
        }
    }

    private synchronized JobEvent.Ended ended(Throwable e, long begun) {
        ErrorCode code =
                switch (e) {
                    case PetrichorException known -> known.code();
                    case VirtualMachineError _ -> ErrorCode.RESOURCE_EXHAUSTED;
                    case Throwable _ -> ErrorCode.INTERNAL;
                };
        String why = e instanceof PetrichorException ? e.getMessage() : e.toString();
        boolean wanted = cancelled && code == ErrorCode.ABORTED;
        return new JobEvent.Ended(
                wanted ? JobState.CANCELED : JobState.FAILED, code, why, since(begun), 0);
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    private void tell(JobEvent event) {
        say(EventJson.of(event).toString());
    }

    private void say(String line) {
        synchronized (out) {
            out.print(line + "\n");
            out.flush();
        }
    }
}
