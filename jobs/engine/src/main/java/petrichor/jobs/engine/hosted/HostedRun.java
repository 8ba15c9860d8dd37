package petrichor.jobs.engine.hosted;

import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobLifecycle;
import petrichor.jobs.engine.JobResult;
import petrichor.jobs.engine.JobRun;
import petrichor.jobs.engine.JobWatcher;
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
    private final JobLifecycle frame;
    private StageRuntime.@Nullable Running current;
    private boolean cancelled;
    private boolean settling;
    private long spilledBytes;

    private HostedRun(
            JobGraph graph, EngineOptions options, StageRuntime runtime, JobLifecycle frame) {
        this.graph = graph;
        this.options = options;
        this.runtime = runtime;
        this.frame = frame;
    }

    static HostedRun start(
            JobGraph graph, EngineOptions options, StageRuntime runtime, JobWatcher watcher) {
        HostedRun run =
                new HostedRun(graph, options, runtime, JobLifecycle.begin(graph, options, watcher));
        Thread.ofPlatform().name("job " + graph.name()).daemon().start(run::run);
        return run;
    }

    private void run() {
        try {
            int stages = frame.image().stages().size();
            for (int stage = 0; stage < stages; stage++) {
                runStage(stage);
            }
            settle();
            frame.finish(spilledBytes);
        } catch (Throwable e) {
            frame.fail(reason(e));
        }
    }

    private void runStage(int stage) throws InterruptedException {
        StageWork work =
                new StageWork(
                        graph,
                        stage,
                        frame.folder().toString(),
                        options.spillBytesMax(),
                        options.profiled());
        frame.progress().stage(stage, TaskState.SCHEDULED);
        StageRuntime.Running running;
        synchronized (this) {
            checkNotCancelled();
            running = runtime.start(work, watch(stage));
            current = running;
        }
        frame.progress().job(JobState.RUNNING, null);
        running.await();
        spilledBytes += running.spilledBytes();
        frame.progress().stage(stage, TaskState.FINISHED);
    }

    private StageRuntime.Watch watch(int stage) {
        return new StageRuntime.Watch() {
            @Override
            public void moved(SubtaskId subtask, TaskState to, @Nullable String why) {
                frame.progress().moved(subtask, to, why);
            }

            @Override
            public void measured(SortedMap<SubtaskId, SubtaskFigures> figures) {
                frame.progress().measured(figures);
            }

            @Override
            public void restarted(String why) {
                frame.progress().restart(stage, _ -> false, why, true);
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
            throw frame.cancellation();
        }
    }

    private synchronized PetrichorException reason(Throwable thrown) {
        return cancelled ? frame.cancellation() : frame.reason(thrown);
    }

    @Override
    public void cancel() {
        StageRuntime.Running running;
        synchronized (this) {
            if (settling || frame.hasEnded()) {
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
        return frame.image();
    }

    @Override
    public JobResult await() {
        return frame.await();
    }
}
