package petrichor.jobs.engine;

import java.util.Set;
import java.util.function.Supplier;
import petrichor.jobs.engine.assembly.Fusion;
import petrichor.jobs.engine.assembly.Scalability;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.Scaling;

/**
 * Runs jobs in this process, with a platform thread per subtask. Safe for all threads; jobs share
 * nothing but the machine.
 */
public final class Engine {
    private final EngineOptions options;

    public Engine(EngineOptions options) {
        this.options = options;
    }

    /**
     * Starts a job. An invalid graph, or a source or sink that refuses at once, fails here; later
     * failures fail {@link JobMaster#await()}.
     */
    public JobMaster start(JobGraph graph) {
        return start(graph, JobWatcher.NONE);
    }

    /** As {@link #start(JobGraph)}; reports progress to the watcher. */
    public JobMaster start(JobGraph graph, JobWatcher watcher) {
        JobGraph checked = graph.checked();
        Supplier<Scaling> perGraph = options.scaling();
        Scaling scaling = perGraph == null ? null : perGraph.get();
        Set<Integer> scalable = scaling == null ? Set.of() : Scalability.of(checked);
        return JobMaster.start(
                checked,
                options,
                null,
                watcher,
                new Fusion(checked, scalable),
                job -> new ThreadExecutor(checked, options, job, scaling, scalable));
    }

    /** Runs a job to its end. */
    public JobResult run(JobGraph graph) {
        return start(graph).await();
    }
}
