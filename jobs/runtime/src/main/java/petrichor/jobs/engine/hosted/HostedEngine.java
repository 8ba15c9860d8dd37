package petrichor.jobs.engine.hosted;

import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobLifecycle;
import petrichor.jobs.engine.JobMaster;
import petrichor.jobs.engine.JobResult;
import petrichor.jobs.engine.JobWatcher;
import petrichor.jobs.engine.assembly.Fusion;
import petrichor.jobs.jobgraph.JobGraph;

/**
 * Runs jobs in another runtime, stage by stage. This process only opens and commits the sinks, and
 * follows the progress. Safe for all threads.
 */
public final class HostedEngine {
    private final EngineOptions options;
    private final StageRuntime runtime;

    /**
     * @param options its folder must be visible to all tasks under the same name; the runtime
     *     decides how much memory tasks have
     */
    public HostedEngine(EngineOptions options, StageRuntime runtime) {
        this.options = options;
        this.runtime = runtime;
    }

    /** Starts a job. */
    public JobMaster start(JobGraph graph) {
        return start(graph, JobWatcher.NONE);
    }

    /** As {@link #start(JobGraph)}; reports progress to the watcher. */
    public JobMaster start(JobGraph graph, JobWatcher watcher) {
        JobGraph prepared = runtime.prepared(graph.checked()).checked();
        JobLifecycle.requireSendable(prepared);
        return JobMaster.start(
                prepared,
                options,
                null,
                watcher,
                new Fusion(prepared),
                job -> new HostedExecutor(prepared, options, runtime, job));
    }

    /** Runs a job to its end. */
    public JobResult run(JobGraph graph) {
        return start(graph).await();
    }
}
