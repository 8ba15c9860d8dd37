package petrichor.jobs.engine;

import java.util.List;
import java.util.Map;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.exchange.TaskFigures;

/**
 * Runs the stages of one job, one after the other, for its {@link JobMaster}: in threads of this
 * process, in worker processes, or in another runtime. {@link #run} and {@link #close} belong to
 * the master's thread; the rest is safe for all threads.
 */
public interface StageExecutor {
    /** Opens the executor of a job whose sinks have begun. */
    interface Opener {
        StageExecutor open(JobLifecycle job);
    }

    /**
     * Runs a stage to its end; fails as the first of its tasks failed, or with what {@link #stop}
     * was given. {@link Unavailable} if there is nothing to run it on.
     */
    void run(int stage) throws InterruptedException;

    /** The job ends for this reason: {@link #run} fails as soon as its tasks have been stopped. */
    void stop(PetrichorException reason);

    /**
     * Gives back what the job had; when it returns, no task of the job runs any more.
     *
     * @param succeeded whether all stages have ended well
     */
    void close(boolean succeeded) throws InterruptedException;

    /** What its tasks have put aside on disk. */
    long spilledBytes();

    /** What its subtasks have done so far, by the name of the task, if they run in this process. */
    default Map<String, List<TaskFigures>> figures() {
        return Map.of();
    }

    /** The processes that were started for the job and are there now. */
    default List<Long> processes() {
        return List.of();
    }

    /**
     * Threads of this process that did not end although the job was stopped, and where they are:
     * user code that loops.
     */
    default List<String> abandoned() {
        return List.of();
    }

    /** Blocks that no one has given back; sorts and tables leave theirs to the collector. */
    default int blocksLent() {
        return 0;
    }

    /** A stage cannot run here and now, through no fault of the job: it may be resumed later. */
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
