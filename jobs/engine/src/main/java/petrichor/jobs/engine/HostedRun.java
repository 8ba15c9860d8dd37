package petrichor.jobs.engine;

import java.time.Duration;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.channels.SpillFolder;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.SubtaskFigures;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskState;

/**
 * A job in another runtime. A thread of its own gives the runtime one stage after the other; sinks
 * are committed when the last one has ended, and aborted, like the files between stages, when no
 * task runs any more. Safe for all threads.
 */
public final class HostedRun implements JobRun {
    private final JobGraph graph;
    private final EngineOptions options;
    private final StageRuntime runtime;
    private final Sinks sinks;
    private final JobProgress progress;
    private final SpillFolder folder;
    private final PetrichorException cancellation;
    private final CompletableFuture<JobResult> result = new CompletableFuture<>();
    private final long startedNanos = System.nanoTime();
    private StageRuntime.@Nullable Running current;
    private boolean cancelled;
    private boolean settling;
    private long spilledBytes;

    private HostedRun(
            JobGraph graph, EngineOptions options, StageRuntime runtime, JobWatcher watcher) {
        this.graph = graph;
        this.options = options;
        this.runtime = runtime;
        this.sinks = new Sinks(graph);
        this.progress = new JobProgress(graph, watcher);
        this.cancellation =
                new PetrichorException(
                        ErrorCode.ABORTED, "the job \"" + graph.name() + "\" was cancelled");
        this.folder =
                SpillFolder.open(
                        options.spillFolder(),
                        options.spillBytesMax(),
                        new BlockPool(1),
                        TimeSource.SYSTEM);
    }

    static HostedRun start(
            JobGraph graph, EngineOptions options, StageRuntime runtime, JobWatcher watcher) {
        WorkerMessage.requireSendable(graph);
        HostedRun run = new HostedRun(graph, options, runtime, watcher);
        try {
            run.sinks.begin();
        } catch (RuntimeException e) {
            run.folder.close();
            throw e;
        }
        Thread.ofPlatform().name("job " + graph.name()).daemon().start(run::run);
        return run;
    }

    private void run() {
        try {
            progress.begin();
            progress.job(JobState.SCHEDULED, null);
            int stages = ExecutionGraph.of(graph).stages().size();
            for (int stage = 0; stage < stages; stage++) {
                runStage(stage);
            }
            settle();
            sinks.commit();
            folder.close();
            progress.ended(JobState.FINISHED, null);
            result.complete(
                    new JobResult(
                            Duration.ofNanos(System.nanoTime() - startedNanos),
                            Map.of(),
                            spilledBytes));
        } catch (Throwable e) {
            fail(reason(e));
        }
    }

    private void runStage(int stage) throws InterruptedException {
        StageWork work =
                new StageWork(
                        graph,
                        stage,
                        folder.path().toAbsolutePath().toString(),
                        options.spillBytesMax(),
                        options.profiled());
        progress.stage(stage, TaskState.SCHEDULED);
        StageRuntime.Running running;
        synchronized (this) {
            checkNotCancelled();
            running = runtime.start(work, watch(stage));
            current = running;
        }
        progress.job(JobState.RUNNING, null);
        running.await();
        spilledBytes += running.spilledBytes();
        progress.stage(stage, TaskState.FINISHED);
    }

    private StageRuntime.Watch watch(int stage) {
        return new StageRuntime.Watch() {
            @Override
            public void moved(SubtaskId subtask, TaskState to, @Nullable String why) {
                progress.moved(subtask, to, why);
            }

            @Override
            public void measured(SortedMap<SubtaskId, SubtaskFigures> figures) {
                progress.measured(figures);
            }

            @Override
            public void restarted(String why) {
                progress.restart(stage, _ -> false, why);
            }
        };
    }

    /** From here on the job can no longer be cancelled: its results are being shown. */
    private synchronized void settle() {
        checkNotCancelled();
        settling = true;
    }

    private void checkNotCancelled() {
        if (cancelled) {
            throw cancellation;
        }
    }

    private synchronized PetrichorException reason(Throwable thrown) {
        if (cancelled) {
            return cancellation;
        }
        return thrown instanceof PetrichorException known
                ? known
                : new PetrichorException(
                        ErrorCode.INTERNAL,
                        "the job \"" + graph.name() + "\" failed: " + thrown,
                        Map.of(),
                        thrown);
    }

    private void fail(PetrichorException reason) {
        boolean bad = reason != cancellation;
        try {
            progress.job(bad ? JobState.FAILING : JobState.CANCELING, reason.getMessage());
            sinks.abort();
            folder.close();
            progress.ended(bad ? JobState.FAILED : JobState.CANCELED, reason.getMessage());
        } finally {
            result.completeExceptionally(reason);
        }
    }

    @Override
    public void cancel() {
        StageRuntime.Running running;
        synchronized (this) {
            if (settling || result.isDone()) {
                return;
            }
            cancelled = true;
            running = current;
        }
        if (running != null) {
            running.cancel();
        }
    }

    @Override
    public ExecutionGraph image() {
        return progress.image();
    }

    @Override
    public JobResult await() {
        try {
            return result.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof PetrichorException known
                    ? known
                    : new PetrichorException(ErrorCode.INTERNAL, "the job failed: " + e.getCause());
        }
    }
}
