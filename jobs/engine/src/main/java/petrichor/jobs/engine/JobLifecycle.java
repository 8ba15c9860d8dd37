package petrichor.jobs.engine;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
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
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.TaskState;

/**
 * What is there before the first task of a job and after its last one, when its tasks run
 * elsewhere: its sinks, the folder of the files between its stages, how far it is, and its result.
 * Whoever runs the tasks says once how the job ended, when none of them works any more.
 *
 * <p>Safe for all threads, but {@link #finish}, {@link #fail} and {@link #stop} are told by one at
 * a time.
 */
public final class JobLifecycle {
    private final JobGraph graph;
    private final Sinks sinks;
    private final JobProgress progress;
    private final @Nullable ResumePoint point;
    private final SpillFolder folder;
    private final PetrichorException cancellation;
    private final CompletableFuture<JobResult> result = new CompletableFuture<>();
    private final long startedNanos = System.nanoTime();

    private JobLifecycle(
            JobGraph graph,
            EngineOptions options,
            @Nullable ResumePoint point,
            JobWatcher watcher) {
        this.graph = graph;
        this.point = point;
        this.sinks = new Sinks(graph);
        this.progress = new JobProgress(graph, watcher);
        this.cancellation =
                new PetrichorException(
                        ErrorCode.ABORTED, "the job \"" + graph.name() + "\" was cancelled");
        long bytesMax = options.spillBytesMax();
        BlockPool pool = new BlockPool();
        this.folder =
                point == null
                        ? SpillFolder.open(options.spillFolder(), bytesMax, pool, TimeSource.SYSTEM)
                        : SpillFolder.join(point.files(), bytesMax, pool, TimeSource.SYSTEM);
    }

    /** Begins the sinks and tells that the job is on its way; leaves nothing behind if it fails. */
    public static JobLifecycle begin(JobGraph graph, EngineOptions options, JobWatcher watcher) {
        return begin(graph, options, null, watcher);
    }

    /**
     * As {@link #begin(JobGraph, EngineOptions, JobWatcher)}, or goes on with what is there.
     *
     * @param point where the job can be gone on with if this process is killed
     */
    public static JobLifecycle begin(
            JobGraph graph,
            EngineOptions options,
            @Nullable ResumePoint point,
            JobWatcher watcher) {
        requireSendable(graph);
        boolean resumes = false;
        if (point != null && point.isThere()) {
            point.check(graph);
            resumes = true;
        }
        JobLifecycle frame = new JobLifecycle(graph, options, point, watcher);
        try {
            if (resumes) {
                frame.sinks.resume();
            } else {
                frame.sinks.begin();
                frame.reached(0);
            }
        } catch (RuntimeException e) {
            frame.removeFiles();
            throw e;
        }
        try {
            frame.progress.begin();
            frame.progress.job(JobState.SCHEDULED, null);
            for (int stage = 0; stage < frame.stagesDone(); stage++) {
                frame.progress.stage(stage, TaskState.FINISHED);
            }
        } catch (RuntimeException e) {
            frame.fail(frame.reason(e));
            throw e;
        }
        return frame;
    }

    /** INVALID_ARGUMENT, with the task, where user code holds what cannot be sent. */
    private static void requireSendable(JobGraph graph) {
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

    private void removeFiles() {
        folder.close();
        if (point != null) {
            point.remove();
        }
    }

    public JobProgress progress() {
        return progress;
    }

    /** Where the files between stages lie, for every process of the job. */
    public Path folder() {
        return folder.path().toAbsolutePath();
    }

    /** The reason to {@link #fail} with when somebody wants no result. */
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
    public void finish(long spilledBytes) {
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
                        Duration.ofNanos(System.nanoTime() - startedNanos), Map.of(), spilledBytes);
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
    public void fail(PetrichorException reason) {
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
    public void stop(PetrichorException reason) {
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

    /** Waits for the end, and fails as the job failed. */
    public JobResult await() {
        try {
            return result.join();
        } catch (CompletionException e) {
            Throwable cause = e.getCause();
            throw reason(cause == null ? e : cause);
        }
    }
}
