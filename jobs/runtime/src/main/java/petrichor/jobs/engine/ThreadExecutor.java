package petrichor.jobs.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.channels.JobControl;
import petrichor.jobs.engine.assembly.JobAssembly;
import petrichor.jobs.engine.exchange.TaskMetrics;
import petrichor.jobs.engine.memory.SpillArea;
import petrichor.jobs.engine.memory.Workspace;
import petrichor.jobs.engine.operators.Subtask;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.Scaling;
import petrichor.jobs.jobgraph.TaskState;

/**
 * Runs the subtasks of a job as threads of this process. After {@link #close}, no thread and no
 * file of the job is left, unless user code loops: {@link #abandoned()}.
 */
final class ThreadExecutor implements StageExecutor {
    private static final Duration MEASURED_EVERY = Duration.ofMillis(250);

    private final JobGraph graph;
    private final EngineOptions options;
    private final JobLifecycle job;
    private final @Nullable Scaling scaling;
    private final JobControl control = new JobControl();
    private final JobAssembly assembly;
    private final List<String> abandoned = new CopyOnWriteArrayList<>();
    private final long startedNanos = System.nanoTime();
    private long measuredNanos = startedNanos;

    /**
     * @param scaling chooses the parallelism of the scalable tasks; null if none are scalable
     * @param scalable tasks whose parallelism may change while they run
     */
    ThreadExecutor(
            JobGraph graph,
            EngineOptions options,
            JobLifecycle job,
            @Nullable Scaling scaling,
            Set<Integer> scalable) {
        this.graph = graph;
        this.options = options;
        this.job = job;
        this.scaling = scaling;
        this.assembly =
                new JobAssembly(
                        graph,
                        options.memoryBytes(),
                        options.profiled(),
                        new Workspace(
                                control,
                                new BlockPool(),
                                new SpillArea(options.spillFolder(), options.spillBytesMax())),
                        job.progress(),
                        scalable);
        control.onStop(() -> job.failing(reason()));
        job.progress().job(JobState.RUNNING, null);
    }

    private PetrichorException reason() {
        Throwable reason = control.reason();
        return job.reason(reason == null ? new JobControl.Stopped() : reason);
    }

    @Override
    public void run(int stage) throws InterruptedException {
        job.progress().stage(stage, TaskState.SCHEDULED);
        List<Subtask> subtasks = assembly.subtasks(stage);
        job.progress().stage(stage, TaskState.READY);
        StageScaling ofStage =
                scaling == null
                        ? null
                        : new StageScaling(
                                graph,
                                assembly,
                                job.progress(),
                                scaling,
                                options.memoryBytes(),
                                stage);
        abandoned.addAll(
                new StageRun(graph.name(), control, this::measure, ofStage, startedNanos)
                        .run(subtasks));
        if (control.stopped()) {
            throw reason();
        }
    }

    private void measure() {
        long now = System.nanoTime();
        if (options.profiled() && now - measuredNanos >= MEASURED_EVERY.toNanos()) {
            measuredNanos = now;
            job.progress().measured(assembly.measured());
        }
    }

    @Override
    public void stop(PetrichorException reason) {
        control.stop(reason);
    }

    @Override
    public void close(boolean succeeded) {
        assembly.close();
        job.progress().measured(assembly.measured());
    }

    @Override
    public long spilledBytes() {
        return assembly.spilledBytes();
    }

    @Override
    public Map<String, List<TaskMetrics>> metrics() {
        return assembly.metrics();
    }

    @Override
    public List<String> abandoned() {
        return new ArrayList<>(abandoned);
    }

    @Override
    public int blocksLent() {
        return assembly.blocksLent();
    }
}
