package petrichor.jobs.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.ExitCall;
import petrichor.jobs.engine.JobResult;
import petrichor.jobs.jobgraph.JobCounters;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.local.Arguments;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.local.PlanRun;
import petrichor.jobs.local.PlanRunner;
import petrichor.jobs.pact.Plan;

/**
 * A running submission in this process: the only plan of its program, or the program's {@code
 * main}, which runs to its end on a thread of its own and submits plans meanwhile. Plans run one at
 * a time, in the order of submission, because each may use all of the job's memory.
 *
 * <p>All threads on which a plan's code runs have the jar's class loader as their context class
 * loader. Safe for all threads.
 */
final class ProgramRun implements PlanRunner {
    private final JobJar jar;
    private final Jobs first;
    private final Consumer<Progress.Event> to;
    private final long startNanos = System.nanoTime();
    private final List<Queued> queue = new ArrayList<>();
    private final CompletableFuture<Integer> mainEnded = new CompletableFuture<>();
    private final String program;
    private @Nullable Thread main;
    private @Nullable ExitStatus exit;
    private @Nullable PlanRun only;
    private int submitted;
    private boolean cancelled;
    private @Nullable String stopped;
    private JobCounters counters = JobCounters.NONE;
    private long spilledBytes;

    private ProgramRun(JobJar jar, String program, Jobs jobs, Consumer<Progress.Event> to) {
        this.jar = jar;
        this.program = program;
        this.first = jobs;
        this.to = to;
    }

    /**
     * Starts the program. Throws the failures of a program that builds a plan.
     *
     * @param to receives all events except the end
     */
    static ProgramRun start(
            JobJar jar, Submission submission, Jobs jobs, Consumer<Progress.Event> to) {
        Arguments arguments = Arguments.of(submission.arguments());
        Class<?> foreign = submission.trial() ? null : jar.main(submission.program());
        if (foreign != null) {
            ProgramRun run = new ProgramRun(jar, foreign.getSimpleName(), jobs, to);
            run.startMain(foreign, arguments);
            return run;
        }
        Plan plan = jar.plan(submission.program(), arguments);
        ProgramRun run = new ProgramRun(jar, plan.name(), jobs, to);
        run.only = run.start(plan, jobs);
        return run;
    }

    /** The name of the job until it has a plan. */
    String name() {
        return program;
    }

    /** Whether the program is a {@code main}, whose standard output is the program's result. */
    boolean isMain() {
        return main != null;
    }

    private PlanRun start(Plan plan, Jobs jobs) {
        return jar.asContext(() -> jobs.start(plan, new RunEvents(plan.name(), to)));
    }

    private void startMain(Class<?> foreign, Arguments arguments) {
        Thread thread =
                Thread.ofPlatform()
                        .name("main of " + program)
                        .daemon()
                        .unstarted(() -> runMain(foreign, arguments));
        main = thread;
        exit = ExitStatus.watched();
        thread.start();
    }

    private void runMain(Class<?> foreign, Arguments arguments) {
        try {
            jar.runMain(foreign, arguments, this);
            mainEnded.complete(0);
        } catch (Throwable thrown) {
            if (!isCancelled()) {
                // As the java command does for an exception of main.
                System.err.print("Exception in thread \"main\" ");
                thrown.printStackTrace(System.err);
            }
            mainEnded.completeExceptionally(thrown);
        }
    }

    @Override
    public Submitted submit(Plan plan) {
        Queued one = new Queued(plan);
        synchronized (this) {
            if (cancelled) {
                one.done.completeExceptionally(cancellation(plan));
                return one;
            }
            queue.add(one);
            if (queue.size() == 1) {
                startNext();
            }
        }
        return one;
    }

    private synchronized void startNext() {
        if (!queue.isEmpty()) {
            Queued next = queue.getFirst();
            Thread.ofPlatform().name("job of " + program).daemon().start(() -> run(next));
        }
    }

    private void run(Queued next) {
        try {
            runInTurn(next);
        } catch (Throwable e) {
            next.done.completeExceptionally(e);
        } finally {
            synchronized (this) {
                queue.remove(next);
                notifyAll();
            }
            startNext();
        }
    }

    private void runInTurn(Queued next) {
        PlanRun run;
        synchronized (this) {
            if (cancelled || next.cancelled) {
                throw cancellation(next.plan);
            }
            to.accept(EventMessages.planStarted(program, next.plan.name()));
            // Only the first plan of a job can be resumed.
            run = start(next.plan, submitted++ == 0 ? first : first.unresumable());
            next.run = run;
        }
        long started = System.nanoTime();
        try {
            Jobs.Done done = run.await();
            synchronized (this) {
                add(done);
            }
            ended(next, JobState.FINISHED, null, started, done.counters());
            next.done.complete(done);
        } catch (PetrichorException failed) {
            ended(
                    next,
                    failed.code() == ErrorCode.ABORTED ? JobState.CANCELED : JobState.FAILED,
                    failed.getMessage(),
                    started,
                    JobCounters.NONE);
            next.done.completeExceptionally(failed);
        }
    }

    private void ended(
            Queued plan, JobState state, @Nullable String why, long started, JobCounters counted) {
        to.accept(EventMessages.planEnded(plan.plan.name(), state, why, since(started), counted));
    }

    private void add(Jobs.Done done) {
        counters = counters.plus(done.counters());
        spilledBytes += done.runs().stream().mapToLong(JobResult::spilledBytes).sum();
    }

    private static PetrichorException cancellation(Plan plan) {
        return PetrichorException.of(
                ErrorCode.ABORTED, "the job \"{plan}\" was cancelled", "plan", plan.name());
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    private synchronized boolean isCancelled() {
        return cancelled;
    }

    /** Stops what runs and takes nothing more; {@code main} is interrupted, and not waited for. */
    void cancel() {
        List<Queued> all;
        Thread interrupted;
        synchronized (this) {
            cancelled = true;
            all = List.copyOf(queue);
            interrupted = main;
            if (only != null) {
                only.cancel();
            }
        }
        all.forEach(Queued::cancel);
        if (interrupted != null) {
            interrupted.interrupt();
            mainEnded.complete(0);
        }
    }

    /** Why a job failed whose code makes this call. */
    static PetrichorException exited(ExitCall call) {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "its code called System.exit in {place}",
                "place",
                call.place());
    }

    /** As {@link #cancel()}, because the job's own code ends the process. */
    void stop(ExitCall call) {
        synchronized (this) {
            stopped = exited(call).getMessage();
        }
        cancel();
    }

    /**
     * Whether the program's {@code main} makes this call, which is its end. The plans that it has
     * submitted and not waited for still run to theirs.
     */
    boolean endsMain(ExitCall call) {
        boolean isMains;
        synchronized (this) {
            isMains = main != null && (call.thread().equals(main) || queue.isEmpty());
        }
        if (isMains) {
            mainEnded.complete(exit == null ? 0 : exit.status().orElse(0));
        }
        return isMains;
    }

    /** Waits for the end. */
    Progress.Event.End await() {
        Progress.Event.End end = main == null ? awaitPlan() : awaitMain();
        synchronized (this) {
            return stopped == null
                    ? end
                    : ended(JobState.FAILED, ErrorCode.FAILED_PRECONDITION, stopped);
        }
    }

    private Progress.Event.End awaitPlan() {
        PlanRun run = only;
        if (run == null) {
            throw new IllegalStateException("nothing was started");
        }
        try {
            Jobs.Done done = run.await();
            synchronized (this) {
                add(done);
            }
            return ended(JobState.FINISHED, null, null);
        } catch (PetrichorException failed) {
            boolean wanted = isCancelled() && failed.code() == ErrorCode.ABORTED;
            return ended(
                    wanted ? JobState.CANCELED : JobState.FAILED,
                    failed.code(),
                    failed.getMessage());
        }
    }

    private Progress.Event.End awaitMain() {
        Throwable thrown = null;
        int status = 0;
        try {
            status = mainEnded.join();
        } catch (CompletionException failed) {
            thrown = failed.getCause();
        }
        awaitQueue();
        if (isCancelled()) {
            return ended(
                    JobState.CANCELED,
                    ErrorCode.ABORTED,
                    "the program \"" + program + "\" was cancelled");
        }
        if (thrown == null) {
            return EventMessages.exited(ended(JobState.FINISHED, null, null), status);
        }
        ErrorCode code =
                thrown instanceof PetrichorException known
                        ? known.code()
                        : thrown instanceof VirtualMachineError
                                ? ErrorCode.RESOURCE_EXHAUSTED
                                : ErrorCode.FAILED_PRECONDITION;
        return EventMessages.exited(ended(JobState.FAILED, code, "its main failed: " + thrown), 1);
    }

    private synchronized void awaitQueue() {
        while (!queue.isEmpty()) {
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private synchronized Progress.Event.End ended(
            JobState state, @Nullable ErrorCode code, @Nullable String why) {
        return EventMessages.end(state, code, why, since(startNanos)).toBuilder()
                .setSpilledBytes(spilledBytes)
                .putAllCounters(ProgressMessages.of(counters))
                .build();
    }

    /** A plan of {@code main}'s, waiting for its turn or running. */
    private final class Queued implements Submitted {
        private final Plan plan;
        private final CompletableFuture<Jobs.Done> done = new CompletableFuture<>();
        private @Nullable PlanRun run;
        private boolean cancelled;

        Queued(Plan plan) {
            this.plan = plan;
        }

        @Override
        public Jobs.Done await() {
            try {
                return done.join();
            } catch (CompletionException e) {
                throw e.getCause() instanceof PetrichorException known
                        ? known
                        : PetrichorException.of(
                                ErrorCode.INTERNAL,
                                "the job \"{plan}\" failed: {cause}",
                                "plan",
                                plan.name(),
                                "cause",
                                e.getCause());
            }
        }

        @Override
        public void cancel() {
            PlanRun running;
            synchronized (ProgramRun.this) {
                cancelled = true;
                running = run;
            }
            if (running != null) {
                running.cancel();
            }
        }
    }
}
