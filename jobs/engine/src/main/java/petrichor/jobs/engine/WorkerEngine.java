package petrichor.jobs.engine;

import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.JobGraph;

/**
 * Runs jobs in several processes on this machine, which exchange blocks over TCP on the loopback.
 * User code that takes all memory, loops or kills its process ends its job, not this process. Every
 * job has processes of its own; they end with it, and with this process. When one of them dies, the
 * stage that ran begins again in new processes. Safe for all threads.
 */
public final class WorkerEngine {
    private static final int WORKERS_MAX = 64;

    private final EngineOptions options;
    private final int workers;
    private final List<String> jvmArguments;
    private final int attemptsMax;

    /**
     * @param options what a job may take, all of its processes together
     * @param jvmArguments of each worker, such as {@code -Xmx1g}
     */
    public WorkerEngine(EngineOptions options, int workers, List<String> jvmArguments) {
        this(options, workers, jvmArguments, ExecutionGraph.ATTEMPTS_MAX);
    }

    private WorkerEngine(
            EngineOptions options, int workers, List<String> jvmArguments, int attemptsMax) {
        if (workers < 1 || workers > WORKERS_MAX) {
            throw PetrichorException.invalid("a job runs in 1 to " + WORKERS_MAX + " workers");
        }
        this.options = options;
        this.workers = workers;
        if (attemptsMax < 1 || attemptsMax > ExecutionGraph.ATTEMPTS_MAX) {
            throw PetrichorException.invalid(
                    "a stage is tried 1 to " + ExecutionGraph.ATTEMPTS_MAX + " times");
        }
        this.jvmArguments = List.copyOf(jvmArguments);
        this.attemptsMax = attemptsMax;
    }

    /** How often a stage is tried at most, when its processes die; 3 unless this is called. */
    public WorkerEngine withAttemptsMax(int attempts) {
        return new WorkerEngine(options, workers, jvmArguments, attempts);
    }

    /** Starts a job and its processes. */
    public WorkersRun start(JobGraph graph) {
        return start(graph, JobWatcher.NONE);
    }

    /** As {@link #start(JobGraph)}, and tells how far the job is. */
    public WorkersRun start(JobGraph graph, JobWatcher watcher) {
        return WorkersRun.start(
                graph.checked(), options, workers, jvmArguments, attemptsMax, watcher);
    }

    /** Runs a job to its end. */
    public JobResult run(JobGraph graph) {
        return start(graph).await();
    }
}
