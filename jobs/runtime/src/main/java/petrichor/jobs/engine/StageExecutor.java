package petrichor.jobs.engine;

import java.util.List;
import java.util.Map;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.exchange.TaskMetrics;

/**
 * Runs the stages of one job, one after the other, for its {@link JobMaster}: as threads of this
 * process, in worker processes, or in another runtime. {@link #run} and {@link #close} belong to
 * the master's thread; the rest is safe for all threads.
 */
public interface StageExecutor {
    /** Opens the executor of a job whose sinks are open. */
    interface Opener {
        StageExecutor open(JobLifecycle job);
    }

    /**
     * Runs a stage to its end; fails with the first failure of its tasks, or with the argument of
     * {@link #stop}. {@link Unavailable} if there is nothing to run it on.
     */
    void run(int stage) throws InterruptedException;

    /** Stops the job for this reason: {@link #run} fails as soon as its tasks have been stopped. */
    void stop(PetrichorException reason);

    /**
     * Releases the job's resources; when it returns, no task of the job is running any more.
     *
     * @param succeeded whether all stages have succeeded
     */
    void close(boolean succeeded) throws InterruptedException;

    /** Bytes that its tasks have spilled. */
    long spilledBytes();

    /** Metrics of its subtasks so far, by task name, if they run in this process. */
    default Map<String, List<TaskMetrics>> metrics() {
        return Map.of();
    }

    /** Process ids of the job's running workers. */
    default List<Long> processes() {
        return List.of();
    }

    /**
     * Threads of this process that did not end although the job was stopped, with their stacks:
     * user code that loops.
     */
    default List<String> abandoned() {
        return List.of();
    }

    /**
     * Blocks that were not returned to the pool; sorts and tables leave theirs to the garbage
     * collector.
     */
    default int blocksLent() {
        return 0;
    }

    /** A stage cannot run now, through no fault of the job, which may be resumed later. */
    final class Unavailable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final PetrichorException reason;

        public Unavailable(PetrichorException reason) {
            super(reason);
            this.reason = reason;
        }

        PetrichorException reason() {
            return reason;
        }
    }
}
