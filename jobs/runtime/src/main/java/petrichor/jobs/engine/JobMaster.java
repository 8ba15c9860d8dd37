package petrichor.jobs.engine;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.assembly.Fusion;
import petrichor.jobs.engine.exchange.TaskMetrics;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.JobGraph;

/**
 * The job master: runs one job, in any execution mode. Its thread passes the stages to a {@link
 * StageExecutor}, one after the other, and commits the sinks when the last one has ended; when the
 * job fails, it aborts the sinks and removes the files between stages as soon as no task is running
 * any more. Safe for all threads.
 */
public final class JobMaster {
    private final JobLifecycle job;
    private final StageExecutor executor;
    private boolean cancelled;
    private boolean settling;

    private JobMaster(JobLifecycle job, StageExecutor executor) {
        this.job = job;
        this.executor = executor;
    }

    /**
     * Starts a job. A sink that refuses at once fails here; later failures fail {@link #await()}.
     *
     * @param point where the job can be resumed after a stop; null if it cannot be resumed
     * @param fusion the tasks that have no subtasks of their own
     */
    public static JobMaster start(
            JobGraph graph,
            EngineOptions options,
            @Nullable ResumePoint point,
            JobWatcher watcher,
            Fusion fusion,
            StageExecutor.Opener opener) {
        JobLifecycle job = JobLifecycle.begin(graph, options, point, watcher, fusion);
        StageExecutor executor;
        try {
            executor = opener.open(job);
        } catch (RuntimeException e) {
            if (job.stagesDone() > 0) {
                job.stop(job.reason(e));
            } else {
                job.fail(job.reason(e));
            }
            throw e;
        }
        JobMaster master = new JobMaster(job, executor);
        Thread.ofPlatform().name("job " + graph.name()).daemon().start(master::run);
        return master;
    }

    private void run() {
        try {
            int stages = job.image().stages().size();
            for (int stage = job.stagesDone(); stage < stages; stage++) {
                checkNotCancelled();
                executor.run(stage);
                job.reached(stage + 1);
            }
            executor.close(true);
            settle();
            job.finish(executor.spilledBytes(), executor.metrics());
        } catch (StageExecutor.Unavailable e) {
            PetrichorException reason = reason(e.reason());
            end(reason);
            if (reason == job.cancellation()) {
                job.fail(reason);
            } else {
                job.stop(reason);
            }
        } catch (Throwable e) {
            PetrichorException reason = reason(e);
            end(reason);
            job.fail(reason);
        }
    }

    /** Stops the running tasks. Later failures do not replace the reason. */
    private void end(PetrichorException reason) {
        attempt(reason, () -> job.failing(reason));
        attempt(reason, () -> executor.stop(reason));
        attempt(reason, () -> executor.close(false));
    }

    private interface Step {
        void run() throws InterruptedException;
    }

    private static void attempt(PetrichorException reason, Step step) {
        try {
            step.run();
        } catch (Throwable e) {
            if (e != reason) {
                reason.addSuppressed(e);
            }
        }
    }

    private synchronized void checkNotCancelled() {
        if (cancelled) {
            throw job.cancellation();
        }
    }

    /** From here on the job can no longer be cancelled: its sinks are being committed. */
    private synchronized void settle() {
        checkNotCancelled();
        settling = true;
    }

    private synchronized PetrichorException reason(Throwable thrown) {
        return cancelled ? job.cancellation() : job.reason(thrown);
    }

    /** Cancels the job; {@link #await()} then fails. Does nothing if it has ended. */
    public void cancel() {
        synchronized (this) {
            if (settling || job.hasEnded()) {
                return;
            }
            cancelled = true;
        }
        try {
            job.failing(job.cancellation());
        } finally {
            executor.stop(job.cancellation());
        }
    }

    /** The job's progress: current states, with metrics at most half a second old. */
    public ExecutionGraph image() {
        return job.image();
    }

    /** Process ids of the job's running workers; empty in most execution modes. */
    public List<Long> processes() {
        return executor.processes();
    }

    /**
     * Waits for the end; throws the error with which the job failed. An interrupt cancels the job.
     */
    public JobResult await() {
        try {
            job.awaitEnd();
        } catch (InterruptedException e) {
            cancel();
            Thread.currentThread().interrupt();
        }
        return job.await();
    }

    public boolean hasEnded() {
        return job.hasEnded();
    }

    /** See {@link StageExecutor#abandoned}. */
    public List<String> abandoned() {
        return executor.abandoned();
    }

    /** See {@link StageExecutor#blocksLent}. */
    int blocksLent() {
        return executor.blocksLent();
    }

    /** What its subtasks have done so far, by task name. */
    public Map<String, List<TaskMetrics>> metrics() {
        return executor.metrics();
    }
}
