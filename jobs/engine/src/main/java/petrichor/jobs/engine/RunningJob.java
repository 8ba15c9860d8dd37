package petrichor.jobs.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.TaskState;

/**
 * A job on its way. One thread of its own starts the stages one after the other, waits for their
 * subtasks and settles the sinks; when it has ended, no thread and no file of the job is left,
 * unless user code loops: {@link #abandoned()}. Safe for all threads.
 */
public final class RunningJob implements JobRun {
    private static final Duration LOOK = Duration.ofMillis(100);
    private static final Duration MEASURED_EVERY = Duration.ofMillis(250);

    /** Ten seconds: user code that has not noticed an interrupt until then never will. */
    private static final int LOOKS_AFTER_STOP = 100;

    private final JobGraph graph;
    private final JobControl control;
    private final JobAssembly assembly;
    private final JobProgress progress;
    private final boolean profiled;
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
            boolean profiled) {
        this.graph = graph;
        this.control = control;
        this.assembly = assembly;
        this.progress = progress;
        this.profiled = profiled;
        this.cancellation =
                new PetrichorException(
                        ErrorCode.ABORTED, "the job \"" + graph.name() + "\" was cancelled");
    }

    static RunningJob start(JobGraph graph, EngineOptions options, JobWatcher watcher) {
        JobControl control = new JobControl();
        JobProgress progress = new JobProgress(graph, watcher);
        JobAssembly assembly = new JobAssembly(graph, options, control, progress);
        RunningJob job = new RunningJob(graph, control, assembly, progress, options.profiled());
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
        List<Thread> threads = new ArrayList<>();
        try {
            for (Subtask subtask : subtasks) {
                threads.add(
                        Thread.ofPlatform()
                                .name(graph.name() + " " + subtask.name())
                                .daemon()
                                .start(subtask));
            }
        } catch (Throwable e) {
            // No thread can be started: those that run must end first.
            control.stop(e);
            subtasks.subList(threads.size(), subtasks.size()).forEach(Subtask::abandon);
        }
        for (Thread thread : threads) {
            join(thread);
        }
    }

    /** Waits for a subtask; one that does not end although its job was stopped is left behind. */
    private void join(Thread thread) throws InterruptedException {
        int looks = 0;
        while (!thread.join(LOOK)) {
            measure();
            if (control.stopped()) {
                thread.interrupt();
                if (++looks > LOOKS_AFTER_STOP) {
                    abandoned.add(thread.getName() + where(thread.getStackTrace()));
                    return;
                }
            }
        }
    }

    private void measure() {
        long now = System.nanoTime();
        if (profiled && now - measuredNanos >= MEASURED_EVERY.toNanos()) {
            measuredNanos = now;
            progress.measured(assembly.measured());
        }
    }

    private static String where(StackTraceElement[] stack) {
        return stack.length == 0 ? "" : ", in " + stack[0];
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

    public boolean hasEnded() {
        return ended.getCount() == 0;
    }

    /** What its subtasks have done so far, by the name of the task. */
    public Map<String, List<TaskFigures>> figures() {
        return assembly.figures();
    }
}
