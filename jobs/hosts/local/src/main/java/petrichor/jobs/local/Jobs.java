package petrichor.jobs.local;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import petrichor.base.FileProblem;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobResult;
import petrichor.jobs.engine.hosted.StageRuntime;
import petrichor.jobs.engine.workers.WorkerSource;
import petrichor.jobs.jobgraph.JobCounters;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.pact.compiler.Compiler;
import petrichor.jobs.pact.compiler.Explanation;
import petrichor.jobs.pact.compiler.Program;

/**
 * Runs plans in this process, in worker processes on this machine, or in another runtime.
 *
 * <pre>{@code
 * Jobs.local().run(plan);
 * }</pre>
 *
 * A run ends with its sinks written, or fails with {@link petrichor.base.PetrichorException} and
 * removes their output. Safe for all threads; runs share nothing but the machine.
 */
public final class Jobs {
    private final EngineOptions options;
    private final ExecutionMode mode;
    private final Compiler compiler;
    private final boolean trial;

    private Jobs(EngineOptions options, ExecutionMode mode, Compiler compiler, boolean trial) {
        this.options = options;
        this.mode = mode;
        this.compiler = compiler;
        this.trial = trial;
    }

    public static Jobs local() {
        return new Jobs(
                EngineOptions.ofThisProcess(),
                new ExecutionMode.Threads(),
                Compiler.standard(),
                false);
    }

    public Jobs with(EngineOptions newOptions) {
        return new Jobs(newOptions, mode, compiler, trial);
    }

    public Jobs with(Compiler newCompiler) {
        return new Jobs(options, mode, newCompiler, trial);
    }

    /**
     * In worker processes, which isolate this process from code that exhausts memory, loops or
     * exits. The rounds of an iteration share worker processes on this machine; leased ones are new
     * for every job graph.
     */
    public Jobs with(WorkerSource newWorkers) {
        return new Jobs(options, new ExecutionMode.WorkerProcesses(newWorkers), compiler, trial);
    }

    /**
     * In another runtime, to which every stage of every job graph is submitted. Sources, sinks and
     * the folder of the options must be accessible under the same names wherever it runs tasks.
     */
    public Jobs with(StageRuntime newRuntime) {
        return new Jobs(options, new ExecutionMode.OtherRuntime(newRuntime), compiler, trial);
    }

    /** The same, but its runs start from the beginning and keep nothing to resume from. */
    public Jobs unresumable() {
        return mode instanceof ExecutionMode.WorkerProcesses(var source)
                ? with(WorkerSource.unresumable(source))
                : this;
    }

    /** For measurements only: runs everything, and discards the results. */
    public Jobs onTrial() {
        return new Jobs(options, mode, compiler, true);
    }

    /**
     * The result of a run.
     *
     * @param elapsed from the call of {@link #run} to its end, including compilation
     * @param runs one per job graph, and per round of an iteration
     * @param counters of the plan's user code
     */
    public record Done(Duration elapsed, List<JobResult> runs, JobCounters counters) {
        public Done {
            runs = List.copyOf(runs);
        }
    }

    /** Compiles and runs to the end. */
    public Done run(Plan plan) {
        return new PlanRun(plan, options, mode, compiler, trial, RunWatcher.NONE).run();
    }

    /** Starts to compile and run; failures fail {@link PlanRun#await()}. */
    public PlanRun start(Plan plan, RunWatcher watcher) {
        return new PlanRun(plan, options, mode, compiler, trial, watcher).start();
    }

    /**
     * Removes the uncommitted output of a killed run of this plan. Must not be called while the
     * plan runs.
     */
    public void clean(Plan plan) {
        try (var kept = IntermediateRecords.in(options.spillFolder())) {
            for (var part : compiler.compile(plan, kept).parts()) {
                for (var vertex : part.graph().vertices()) {
                    if (vertex.operation() instanceof Operation.Write(var sink)) {
                        try {
                            sink.abort(vertex.parallelism());
                        } catch (IOException e) {
                            throw FileProblem.of("cannot remove parts of " + sink.name(), e);
                        }
                    }
                }
            }
        }
    }

    /** Explains the plan, one explanation per job graph, without running it. */
    public List<Explanation> explain(Plan plan) {
        try (var kept = IntermediateRecords.in(options.spillFolder())) {
            return compiler.compile(plan, kept).parts().stream()
                    .map(Program.Part::explanation)
                    .toList();
        }
    }
}
