package petrichor.jobs.engine.hosted;

import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobLifecycle;
import petrichor.jobs.engine.StageExecutor;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.SubtaskMetrics;
import petrichor.jobs.jobgraph.TaskState;

/** Passes the stages of a job to another runtime. */
final class HostedExecutor implements StageExecutor {
    private final JobGraph graph;
    private final EngineOptions options;
    private final StageRuntime runtime;
    private final JobLifecycle job;
    private StageRuntime.@Nullable Running current;
    private @Nullable PetrichorException stopped;
    private volatile long spilledBytes;

    HostedExecutor(JobGraph graph, EngineOptions options, StageRuntime runtime, JobLifecycle job) {
        this.graph = graph;
        this.options = options;
        this.runtime = runtime;
        this.job = job;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes it
    public void run(int stage) throws InterruptedException {
        StageWork work =
                new StageWork(
                        graph,
                        stage,
                        job.folder().toString(),
                        options.spillBytesMax(),
                        options.profiled());
        job.progress().stage(stage, TaskState.SCHEDULED);
        StageRuntime.Running running;
        synchronized (this) {
            if (stopped != null) {
                throw stopped;
            }
            running = runtime.start(work, watch(stage));
            current = running;
        }
        job.progress().job(JobState.RUNNING, null);
        running.await();
        spilledBytes += running.spilledBytes();
        job.progress().stage(stage, TaskState.FINISHED);
    }

    private StageRuntime.Watch watch(int stage) {
        return new StageRuntime.Watch() {
            @Override
            public void moved(SubtaskId subtask, TaskState to, @Nullable String why) {
                job.progress().moved(subtask, to, why);
            }

            @Override
            public void measured(SortedMap<SubtaskId, SubtaskMetrics> metrics) {
                job.progress().measured(metrics);
            }

            @Override
            public void restarted(String why) {
                job.progress().restart(stage, _ -> false, why, true);
            }
        };
    }

    @Override
    public void stop(PetrichorException reason) {
        StageRuntime.Running running;
        synchronized (this) {
            if (stopped != null) {
                return;
            }
            stopped = reason;
            running = current;
        }
        if (running != null) {
            running.cancel();
        }
    }

    /** Nothing to release: an ended stage has no resources in the runtime. */
    @Override
    public void close(boolean succeeded) {}

    @Override
    public long spilledBytes() {
        return spilledBytes;
    }
}
