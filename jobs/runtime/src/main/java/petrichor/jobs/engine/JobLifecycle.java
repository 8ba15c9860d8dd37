package petrichor.jobs.engine;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.channels.SpillFolder;
import petrichor.jobs.engine.assembly.Fusion;
import petrichor.jobs.engine.exchange.TaskMetrics;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.TaskState;

/**
 * The parts of a job that outlive its tasks, wherever they run: its sinks, the folder of the files
 * between its stages, its progress, and its result. The job master reports once how the job ended,
 * when no task is running any more. Safe for all threads, but {@link #finish}, {@link #fail} and
 * {@link #stop} belong to the master.
 */
public final class JobLifecycle {
    private final JobGraph graph;
    private final Sinks sinks;
    private final JobProgress progress;
    private final @Nullable ResumePoint point;
    private final EngineOptions options;
    private @Nullable SpillFolder folder;
    private final PetrichorException cancellation;
    private final CompletableFuture<JobResult> result = new CompletableFuture<>();
    private final long startedNanos = System.nanoTime();

    private JobLifecycle(
            JobGraph graph,
            EngineOptions options,
            @Nullable ResumePoint point,
            JobWatcher watcher,
            Fusion fusion) {
        this.graph = graph;
        this.options = options;
        this.point = point;
        this.sinks = new Sinks(graph);
        this.progress = new JobProgress(graph, watcher, fusion);
        this.cancellation =
                PetrichorException.of(
                        ErrorCode.ABORTED,
                        "the job \"{graph}\" was cancelled",
                        "graph",
                        graph.name());
    }

    /**
     * Opens the sinks and reports the job as scheduled, or resumes an earlier run; leaves nothing
     * behind if it fails.
     */
    static JobLifecycle begin(
            JobGraph graph,
            EngineOptions options,
            @Nullable ResumePoint point,
            JobWatcher watcher,
            Fusion fusion) {
        boolean resumes = false;
        if (point != null && point.isThere()) {
            point.check(graph);
            resumes = true;
        }
        JobLifecycle job = new JobLifecycle(graph, options, point, watcher, fusion);
        try {
            if (resumes) {
                job.sinks.resume();
            } else {
                job.sinks.begin();
                job.reached(0);
            }
        } catch (RuntimeException e) {
            job.removeFiles();
            throw e;
        }
        try {
            job.progress.begin();
            job.progress.job(JobState.SCHEDULED, null);
            for (int stage = 0; stage < job.stagesDone(); stage++) {
                job.progress.stage(stage, TaskState.FINISHED);
            }
        } catch (RuntimeException e) {
            job.fail(job.reason(e));
            throw e;
        }
        return job;
    }

    /**
     * Fails with INVALID_ARGUMENT, naming the task, where user code holds an object that cannot be
     * serialized.
     */
    public static void requireSendable(JobGraph graph) {
        for (JobVertex vertex : graph.vertices()) {
            try (ObjectOutputStream out = new ObjectOutputStream(OutputStream.nullOutputStream())) {
                out.writeObject(vertex);
            } catch (IOException e) {
                throw PetrichorException.invalid(
                        "task \"{vertex}\" cannot be sent to worker processes: {reason}; objects"
                                + " captured by its functions must be serializable",
                        "vertex",
                        vertex.name(),
                        "reason",
                        e);
            }
        }
    }

    /** Number of stages that had ended when this process took over the job. */
    public int stagesDone() {
        return point == null ? 0 : point.stagesDone();
    }

    /** All stages before this one have ended. */
    public void reached(int stage) {
        if (point != null) {
            point.reached(graph, stage);
        }
    }

    private synchronized void removeFiles() {
        if (folder != null) {
            folder.close();
        }
        if (point != null) {
            point.remove();
        }
    }

    public JobProgress progress() {
        return progress;
    }

    /** The folder of the files between stages, for every process of the job. */
    public synchronized Path folder() {
        SpillFolder opened = folder;
        if (opened == null) {
            long bytesMax = options.spillBytesMax();
            BlockPool pool = new BlockPool();
            opened =
                    point == null
                            ? SpillFolder.open(
                                    options.spillFolder(), bytesMax, pool, TimeSource.SYSTEM)
                            : SpillFolder.join(point.files(), bytesMax, pool, TimeSource.SYSTEM);
            folder = opened;
        }
        return opened.path().toAbsolutePath();
    }

    /** The error with which a cancelled job fails. */
    public PetrichorException cancellation() {
        return cancellation;
    }

    public boolean hasEnded() {
        return result.isDone();
    }

    /** The error with which the job fails because of this exception. */
    public PetrichorException reason(Throwable thrown) {
        return thrown instanceof PetrichorException known
                ? known
                : PetrichorException.of(
                        ErrorCode.INTERNAL,
                        thrown,
                        "the job \"{graph}\" failed: {thrown}",
                        "graph",
                        graph.name(),
                        "thrown",
                        thrown);
    }

    /** Commits the sinks. A job whose commit fails has failed. */
    void finish(long spilledBytes, Map<String, List<TaskMetrics>> metrics) {
        try {
            if (point != null) {
                point.showing(graph);
            }
            sinks.commit();
        } catch (RuntimeException e) {
            fail(reason(e));
            return;
        }
        removeFiles();
        JobResult done =
                new JobResult(
                        Duration.ofNanos(System.nanoTime() - startedNanos), metrics, spilledBytes);
        try {
            progress.ended(JobState.FINISHED, null);
        } finally {
            result.complete(done);
        }
    }

    /** The job is going to fail; its tasks are being stopped. */
    public void failing(PetrichorException reason) {
        progress.job(
                reason == cancellation ? JobState.CANCELING : JobState.FAILING,
                reason.getMessage());
    }

    /** Aborts the sinks, unless the job has ended. */
    void fail(PetrichorException reason) {
        if (hasEnded()) {
            return;
        }
        sinks.abort();
        removeFiles();
        ended(reason);
    }

    /**
     * Stops the job because it cannot continue now, through no fault of its own. With a {@link
     * ResumePoint} its files are kept, so that it can be resumed; without one it fails.
     */
    void stop(PetrichorException reason) {
        if (point == null) {
            fail(reason);
        } else if (!hasEnded()) {
            ended(reason);
        }
    }

    private void ended(PetrichorException reason) {
        try {
            progress.ended(
                    reason == cancellation ? JobState.CANCELED : JobState.FAILED,
                    reason.getMessage());
        } finally {
            result.completeExceptionally(reason);
        }
    }

    public ExecutionGraph image() {
        return progress.image();
    }

    void awaitEnd() throws InterruptedException {
        try {
            result.get();
        } catch (ExecutionException e) {
            // await() rethrows it.
        }
    }

    /** Waits for the end; throws the error with which the job failed. */
    JobResult await() {
        try {
            return result.join();
        } catch (CompletionException e) {
            Throwable cause = e.getCause();
            throw reason(cause == null ? e : cause);
        }
    }
}
