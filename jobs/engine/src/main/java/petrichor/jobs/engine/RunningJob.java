package petrichor.jobs.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.assembly.Fusion;
import petrichor.jobs.engine.assembly.JobAssembly;
import petrichor.jobs.engine.assembly.Scalability;
import petrichor.jobs.engine.exchange.TaskFigures;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.channels.JobControl;
import petrichor.jobs.engine.memory.SpillArea;
import petrichor.jobs.engine.memory.Workspace;
import petrichor.jobs.engine.operators.Subtask;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.Scaling;
import petrichor.jobs.jobgraph.TaskState;

/**
 * A job on its way. One thread of its own starts the stages one after the other, waits for their
 * subtasks and settles the sinks; when it has ended, no thread and no file of the job is left,
 * unless user code loops: {@link #abandoned()}. Safe for all threads.
 */
public final class RunningJob implements JobRun {
    private static final Duration MEASURED_EVERY = Duration.ofMillis(250);

    private final JobGraph graph;
    private final JobControl control;
    private final JobAssembly assembly;
    private final JobProgress progress;
    private final EngineOptions options;
    private final @Nullable Scaling scaling;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final long startedNanos = System.nanoTime();
    private final List<String> abandoned = new CopyOnWriteArrayList<>();
    private volatile @Nullable JobResult result;
    private long measuredNanos = startedNanos;
    private final PetrichorException cancellation;
    private boolean settling;
    private boolean cancelling;

    private RunningJob(
            JobGraph graph,
            JobControl control,
            JobAssembly assembly,
            JobProgress progress,
            EngineOptions options,
            @Nullable Scaling scaling) {
        this.graph = graph;
        this.control = control;
        this.assembly = assembly;
        this.progress = progress;
        this.options = options;
        this.scaling = scaling;
        this.cancellation =
                new PetrichorException(
                        ErrorCode.ABORTED, "the job \"" + graph.name() + "\" was cancelled");
    }

    static RunningJob start(JobGraph graph, EngineOptions options, JobWatcher watcher) {
        JobControl control = new JobControl();
        Supplier<Scaling> perGraph = options.scaling();
        Scaling scaling = perGraph == null ? null : perGraph.get();
        Set<Integer> scalable = scaling == null ? Set.of() : Scalability.of(graph);
        JobProgress progress = new JobProgress(graph, watcher, new Fusion(graph, scalable));
        JobAssembly assembly =
                new JobAssembly(
                        graph,
                        options.memoryBytes(),
                        options.profiled(),
                        new Workspace(
                                control,
                                new BlockPool(),
                                new SpillArea(options.spillFolder(), options.spillBytesMax())),
                        progress,
                        scalable);
        RunningJob job = new RunningJob(graph, control, assembly, progress, options, scaling);
        control.onStop(job::stopping);
        Sinks sinks = new Sinks(graph);
        sinks.begin();
        Thread.ofPlatform().name("job " + graph.name()).daemon().start(() -> job.run(sinks));
        return job;
    }

    private void run(Sinks sinks) {
        try {
            progress.begin();
            progress.job(JobState.SCHEDULED, null);
            progress.job(JobState.RUNNING, null);
            for (int stage = 0; stage < assembly.stages() && !control.stopped(); stage++) {
                runStage(stage);
            }
            if (settle()) {
                sinks.commit();
                result =
                        new JobResult(
                                Duration.ofNanos(System.nanoTime() - startedNanos),
                                figures(),
                                assembly.spilledBytes());
            }
        } catch (Throwable e) {
            control.stop(e);
        } finally {
            assembly.close();
            if (result == null) {
                sinks.abort();
            }
            try {
                tellTheEnd();
            } finally {
                ended.countDown();
            }
        }
    }

    /** From here on the job can no longer be cancelled: its results are being shown. */
    private synchronized boolean settle() {
        settling = !cancelling && !control.stopped();
        return settling;
    }

    private void stopping() {
        progress.job(endingBadly() ? JobState.FAILING : JobState.CANCELING, why());
    }

    private void tellTheEnd() {
        progress.measured(assembly.measured());
        progress.ended(
                result != null
                        ? JobState.FINISHED
                        : endingBadly() ? JobState.FAILED : JobState.CANCELED,
                result == null ? why() : null);
    }

    private boolean endingBadly() {
        return control.reason() != cancellation;
    }

    private @Nullable String why() {
        return switch (control.reason()) {
            case null -> null;
            case PetrichorException known -> known.getMessage();
            case Throwable other -> other.toString();
        };
    }

    private void runStage(int stage) throws InterruptedException {
        progress.stage(stage, TaskState.SCHEDULED);
        List<Subtask> subtasks = assembly.subtasks(stage);
        progress.stage(stage, TaskState.READY);
        StageScaling ofStage =
                scaling == null
                        ? null
                        : new StageScaling(
                                graph, assembly, progress, scaling, options.memoryBytes(), stage);
        abandoned.addAll(
                new StageRun(graph.name(), control, this::measure, ofStage, startedNanos)
                        .run(subtasks));
    }

    private void measure() {
        long now = System.nanoTime();
        if (options.profiled() && now - measuredNanos >= MEASURED_EVERY.toNanos()) {
            measuredNanos = now;
            progress.measured(assembly.measured());
        }
    }

    @Override
    public void cancel() {
        boolean inTime;
        synchronized (this) {
            inTime = !settling;
            cancelling |= inTime;
        }
        if (inTime) {
            control.stop(cancellation);
        }
    }

    @Override
    public ExecutionGraph image() {
        return progress.image();
    }

    @Override
    public JobResult await() {
        try {
            ended.await();
        } catch (InterruptedException e) {
            cancel();
            Thread.currentThread().interrupt();
        }
        JobResult finished = result;
        if (finished != null) {
            return finished;
        }
        throw switch (control.reason()) {
            case PetrichorException known -> known;
            case null, default ->
                    new PetrichorException(
                            ErrorCode.INTERNAL,
                            "the job \"" + graph.name() + "\" failed: " + control.reason(),
                            Map.of(),
                            control.reason());
        };
    }

    /**
     * Threads of subtasks that did not end although the job was stopped, and where they are: user
     * code that loops. Nothing in this process can end them.
     */
    public List<String> abandoned() {
        return List.copyOf(abandoned);
    }

    /** See {@link JobAssembly#blocksLent}. */
    int blocksLent() {
        return assembly.blocksLent();
    }

    public boolean hasEnded() {
        return ended.getCount() == 0;
    }

    /** What its subtasks have done so far, by the name of the task. */
    public Map<String, List<TaskFigures>> figures() {
        return assembly.figures();
    }
}
