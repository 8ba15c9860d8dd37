package petrichor.jobs.engine;

import petrichor.jobs.jobgraph.JobGraph;

/** Where jobs get their worker processes. Safe for all threads. */
public interface WorkerSource {
    /** How often a stage is tried at most, when its processes die. */
    int attemptsMax();

    /** The graph as it will run on such workers, which may want more files between its tasks. */
    default JobGraph prepared(JobGraph graph) {
        return graph;
    }

    /**
     * For one job graph, which begins.
     *
     * @param options what the job may take, all of its processes together
     */
    JobWorkers open(JobGraph graph, EngineOptions options);
}
