package petrichor.jobs.engine;

import petrichor.jobs.jobgraph.JobGraph;

/**
 * Runs jobs in this process, a platform thread per subtask. Safe for all threads; jobs share
 * nothing but the machine.
 */
public final class Engine {
    private final EngineOptions options;

    public Engine(EngineOptions options) {
        this.options = options;
    }

    /**
     * Starts a job. A graph that cannot run, and a source or sink that refuses at once, fail here;
     * what goes wrong later fails {@link RunningJob#await()}.
     */
    public RunningJob start(JobGraph graph) {
        return start(graph, JobWatcher.NONE);
    }

    /** As {@link #start(JobGraph)}, and tells how far the job is. */
    public RunningJob start(JobGraph graph, JobWatcher watcher) {
        return RunningJob.start(graph.checked(), options, watcher);
    }

    /** Runs a job to its end. */
    public JobResult run(JobGraph graph) {
        return start(graph).await();
    }
}
