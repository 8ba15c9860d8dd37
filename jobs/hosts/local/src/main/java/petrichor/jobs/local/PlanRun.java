package petrichor.jobs.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.Engine;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobMaster;
import petrichor.jobs.engine.JobResult;
import petrichor.jobs.engine.ResumePoint;
import petrichor.jobs.engine.hosted.HostedEngine;
import petrichor.jobs.engine.workers.ReusableWorkers;
import petrichor.jobs.engine.workers.WorkerEngine;
import petrichor.jobs.engine.workers.WorkerSource;
import petrichor.jobs.jobgraph.JobCounters;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.pact.compiler.Compiler;
import petrichor.jobs.pact.compiler.Program;

/**
 * A running plan: compiled, then run part by part, iterations round by round. Safe for all threads.
 */
public final class PlanRun implements PlanRunner.Submitted {
    private final Plan plan;
    private final EngineOptions options;
    private final ExecutionMode mode;
    private final Compiler compiler;
    private final boolean trial;
    private final RunWatcher watcher;
    private final CompletableFuture<Jobs.Done> done = new CompletableFuture<>();
    private volatile @Nullable JobMaster current;
    private boolean resumable;

    /** Kept between the parts of a program; null for a single part, or without such processes. */
    private @Nullable ReusableWorkers keptWorkers;

    private JobCounters counters = JobCounters.NONE;
    private boolean cancelled;

    PlanRun(
            Plan plan,
            EngineOptions options,
            ExecutionMode mode,
            Compiler compiler,
            boolean trial,
            RunWatcher watcher) {
        this.plan = plan;
        this.options = options;
        this.mode = mode;
        this.compiler = compiler;
        this.trial = trial;
        this.watcher = watcher;
    }

    /** Runs on a thread of its own. */
    PlanRun start() {
        Thread.ofPlatform()
                .name("plan " + plan.name())
                .daemon()
                .start(
                        () -> {
                            try {
                                done.complete(run());
                            } catch (Throwable e) {
                                done.completeExceptionally(e);
                            }
                        });
        return this;
    }

    /** Runs on this thread, to its end. */
    Jobs.Done run() {
        long started = System.nanoTime();
        try (var kept = IntermediateRecords.in(options.spillFolder())) {
            var parts = compiler.compile(plan, kept).parts();
            // Records between the parts of a program are not kept after a stop.
            resumable = parts.size() == 1;
            if (!resumable) {
                refuseToForgetWhatIsThere();
            }
            watcher.compiled(parts.stream().map(Program.Part::explanation).toList());
            boolean several =
                    parts.size() > 1 || parts.stream().anyMatch(Program.Rounds.class::isInstance);
            try (var processes = several ? kept() : null) {
                keptWorkers = processes;
                var runs = run(parts, kept);
                return new Jobs.Done(Duration.ofNanos(System.nanoTime() - started), runs, counters);
            }
        }
    }

    private List<JobResult> run(List<Program.Part> parts, IntermediateRecords kept) {
        var runs = new ArrayList<JobResult>();
        for (int part = 0; part < parts.size(); part++) {
            switch (parts.get(part)) {
                case Program.Once once -> {
                    watcher.enters(part, 0);
                    runs.add(run(once));
                }
                case Program.Rounds rounds -> runs.addAll(repeat(part, rounds, kept));
            }
        }
        return runs;
    }

    /**
     * The plan has changed since it stopped: the uncommitted output of its sinks belongs to another
     * plan.
     */
    private void refuseToForgetWhatIsThere() {
        if (mode instanceof ExecutionMode.WorkerProcesses(var source)
                && source.resumePoint().filter(ResumePoint::isThere).isPresent()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the plan of the job \"{plan}\" has changed since it stopped: it now has"
                            + " iterations and cannot be resumed; discard it and run it again",
                    "plan",
                    plan.name());
        }
    }

    private List<JobResult> repeat(int part, Program.Rounds rounds, IntermediateRecords kept) {
        var runs = new ArrayList<JobResult>();
        boolean open = true;
        for (int round = 0; round < rounds.rounds() && open; round++) {
            watcher.enters(part, round);
            runs.add(run(rounds));
            kept.replace(rounds.current(), rounds.next());
            var deciding = rounds.open();
            open = deciding == null || kept.holdsRecords(deciding);
        }
        return runs;
    }

    private JobResult run(Program.Part part) {
        JobMaster job;
        synchronized (this) {
            if (cancelled) {
                throw PetrichorException.of(
                        ErrorCode.ABORTED, "the job \"{plan}\" was cancelled", "plan", plan.name());
            }
            job = begin(trial ? TrialSink.trial(part.graph()) : part.graph());
            current = job;
        }
        JobResult result = job.await();
        for (var vertex : part.graph().vertices()) {
            if (vertex.operation() instanceof Operation.Write(var sink)) {
                counters = counters.plus(sink.counted());
            }
        }
        return result;
    }

    /** Worker processes for all parts of the program, where they can be kept. */
    private @Nullable ReusableWorkers kept() {
        return mode instanceof ExecutionMode.WorkerProcesses(var source) ? source.kept() : null;
    }

    private JobMaster begin(JobGraph graph) {
        return switch (mode) {
            case ExecutionMode.Threads _ -> new Engine(options).start(graph, watcher);
            case ExecutionMode.OtherRuntime(var runtime) ->
                    new HostedEngine(options, runtime).start(graph, watcher);
            case ExecutionMode.WorkerProcesses(var source) -> {
                WorkerSource used = keptWorkers == null ? source : keptWorkers;
                ResumePoint point = resumable ? used.resumePoint().orElse(null) : null;
                yield new WorkerEngine(options, used).start(graph, point, watcher);
            }
        };
    }

    /** Cancels it; {@link #await()} then fails. Does nothing if it has ended. */
    @Override
    public void cancel() {
        JobMaster running;
        synchronized (this) {
            cancelled = true;
            running = current;
        }
        if (running != null) {
            running.cancel();
        }
    }

    /** Process ids of the current worker processes; none if it runs in this process. */
    public List<Long> processes() {
        JobMaster running = current;
        return running == null ? List.of() : running.processes();
    }

    /** Waits for the end; throws the error with which the run failed. */
    @Override
    public Jobs.Done await() {
        try {
            return done.join();
        } catch (CompletionException e) {
            throw switch (e.getCause()) {
                case PetrichorException known -> known;
                case null, default ->
                        PetrichorException.of(
                                ErrorCode.INTERNAL,
                                "the job \"{plan}\" failed: {cause}",
                                "plan",
                                plan.name(),
                                "cause",
                                e.getCause());
            };
        }
    }
}
