package petrichor.jobs.engine.hosted;

import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobLifecycle;
import petrichor.jobs.engine.JobMaster;
import petrichor.jobs.engine.JobResult;
import petrichor.jobs.engine.JobWatcher;
import petrichor.jobs.engine.assembly.Fusion;
import petrichor.jobs.jobgraph.JobGraph;

/**
 * Runs jobs in another runtime, stage by stage. What this process does is little: it begins and
 * commits the sinks, and follows. Safe for all threads.
 */
public final class HostedEngine {
    private final EngineOptions options;
    private final StageRuntime runtime;

    /**
     * @param options its folder must be seen by all tasks under the same name; how much memory
     *     tasks have is the runtime's to say
     */
    public HostedEngine(EngineOptions options, StageRuntime runtime) {
        this.options = options;
        this.runtime = runtime;
    }

    /** Starts a job. */
    public JobMaster start(JobGraph graph) {
        return start(graph, JobWatcher.NONE);
    }

    /** As {@link #start(JobGraph)}, and tells how far the job is. */
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
