package petrichor.jobs.engine.workers;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobLifecycle;
import petrichor.jobs.engine.JobMaster;
import petrichor.jobs.engine.JobResult;
import petrichor.jobs.engine.JobWatcher;
import petrichor.jobs.engine.ResumePoint;
import petrichor.jobs.engine.assembly.Fusion;
import petrichor.jobs.jobgraph.JobGraph;

/**
 * Runs jobs in several processes, which exchange blocks over TCP. User code that exhausts memory,
 * loops or kills its process ends its job, not this process. Every job has processes of its own,
 * from a {@link WorkerSource}; they end with it, and with this process. When one of them dies, the
 * current stage restarts in new processes. Safe for all threads.
 */
public final class WorkerEngine {
    private final EngineOptions options;
    private final WorkerSource workers;
    private final int attemptsMax;

    /**
     * @param options limits of a job, for all of its processes together
     */
    public WorkerEngine(EngineOptions options, WorkerSource workers) {
        this(options, workers, workers.attemptsMax());
    }

    private WorkerEngine(EngineOptions options, WorkerSource workers, int attemptsMax) {
        this.options = options;
        this.workers = workers;
        this.attemptsMax = attemptsMax;
    }

    /**
     * @param jvmArguments of each worker, such as {@code -Xmx1g}
     */
    public WorkerEngine(EngineOptions options, int workers, List<String> jvmArguments) {
        this(options, Workers.of(workers, jvmArguments));
    }

    /** Limit of a stage's attempts when its processes die; 3 by default. */
    public WorkerEngine withAttemptsMax(int attempts) {
        return new WorkerEngine(options, workers, attempts);
    }

    /** Starts a job and its processes. */
    public JobMaster start(JobGraph graph) {
        return start(graph, JobWatcher.NONE);
    }

    /** As {@link #start(JobGraph)}; reports progress to the watcher. */
    public JobMaster start(JobGraph graph, JobWatcher watcher) {
        return start(graph, null, watcher);
    }

    /**
     * As {@link #start(JobGraph, JobWatcher)}; resumes an earlier run, if there is one.
     *
     * @param point where the job can be resumed when there were no processes for it, or this
     *     process was killed
     */
    public JobMaster start(JobGraph graph, @Nullable ResumePoint point, JobWatcher watcher) {
        JobGraph prepared = workers.prepared(graph.checked()).checked();
        JobLifecycle.requireSendable(prepared);
        return JobMaster.start(
                prepared,
                options,
                point,
                watcher,
                new Fusion(prepared),
                job -> WorkersExecutor.open(prepared, options, workers, attemptsMax, job));
    }

    /** Runs a job to its end. */
    public JobResult run(JobGraph graph) {
        return start(graph).await();
    }
}
