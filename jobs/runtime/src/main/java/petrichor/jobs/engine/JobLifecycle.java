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
import petrichor.jobs.engine.exchange.TaskFigures;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.TaskState;

/**
 * What a job has before its first task and after its last one, wherever its tasks run: its sinks,
 * the folder of the files between its stages, its progress, and its result. The job master says
 * once how the job ended, when none of its tasks runs any more. Safe for all threads, but {@link
 * #finish}, {@link #fail} and {@link #stop} belong to the master.
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
                new PetrichorException(
                        ErrorCode.ABORTED, "the job \"" + graph.name() + "\" was cancelled");
    }

    /**
     * Begins the sinks and reports that the job is scheduled, or resumes what is there; leaves
     * nothing behind if it fails.
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

    /** INVALID_ARGUMENT, with the task, where user code holds what cannot be sent. */
    public static void requireSendable(JobGraph graph) {
        for (JobVertex vertex : graph.vertices()) {
            try (ObjectOutputStream out = new ObjectOutputStream(OutputStream.nullOutputStream())) {
                out.writeObject(vertex);
            } catch (IOException e) {
                throw PetrichorException.invalid(
                        "task \""
                                + vertex.name()
                                + "\" cannot be sent to worker processes: "
                                + e
                                + "; objects captured by its functions must be serializable");
            }
        }
    }

    /** How many stages ended before this process began. */
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

    /** Where the files between stages are, for every process of the job. */
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

    /** The reason with which a cancelled job fails. */
    public PetrichorException cancellation() {
        return cancellation;
    }

    public boolean hasEnded() {
        return result.isDone();
    }

    /** What was thrown, as a reason why the job failed. */
    public PetrichorException reason(Throwable thrown) {
        return thrown instanceof PetrichorException known
                ? known
                : new PetrichorException(
                        ErrorCode.INTERNAL,
                        "the job \"" + graph.name() + "\" failed: " + thrown,
                        Map.of(),
                        thrown);
    }

    /** Shows the results. A job whose results cannot be shown has failed. */
    void finish(long spilledBytes, Map<String, List<TaskFigures>> figures) {
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
                        Duration.ofNanos(System.nanoTime() - startedNanos), figures, spilledBytes);
        try {
            progress.ended(JobState.FINISHED, null);
        } finally {
            result.complete(done);
        }
    }

    /** The job will fail, as soon as its tasks have been stopped. */
    public void failing(PetrichorException reason) {
        progress.job(
                reason == cancellation ? JobState.CANCELING : JobState.FAILING,
                reason.getMessage());
    }

    /** Removes what was written, unless the job has ended. */
    void fail(PetrichorException reason) {
        if (hasEnded()) {
            return;
        }
        sinks.abort();
        removeFiles();
        ended(reason);
    }

    /**
     * It cannot go on here and now, through no fault of its own. Where there is a {@link
     * ResumePoint} all that it has stays there; otherwise it fails.
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
            // As await() says.
        }
    }

    /** Waits for the end, and fails as the job failed. */
    JobResult await() {
        try {
            return result.join();
        } catch (CompletionException e) {
            Throwable cause = e.getCause();
            throw reason(cause == null ? e : cause);
        }
    }
}
