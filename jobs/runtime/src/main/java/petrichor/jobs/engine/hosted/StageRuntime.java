package petrichor.jobs.engine.hosted;

import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.SubtaskMetrics;
import petrichor.jobs.jobgraph.TaskState;

/**
 * Another runtime that hosts jobs stage by stage: it schedules the tasks, starts them and connects
 * them, and runs a {@link HostedSubtask} for each. Petrichor implements the work of a task, the
 * runtime its placement. Safe for all threads.
 */
public interface StageRuntime extends AutoCloseable {
    /** The graph to run there, which may have more file channels. */
    default JobGraph prepared(JobGraph graph) {
        return graph;
    }

    /** Starts a stage; later failures fail {@link Running#await()}. */
    Running start(StageWork work, Watch watch);

    /** Releases the runtime's resources; no stage is running any more. */
    @Override
    default void close() {}

    /** A running stage. */
    interface Running {
        /**
         * Waits until no task of the stage is running any more. Fails with {@link
         * petrichor.base.PetrichorException}, the first failure of its tasks.
         */
        void await() throws InterruptedException;

        /** Cancels its tasks; {@link #await()} then fails. Does nothing if they have ended. */
        void cancel();

        /** Bytes that its tasks have spilled; known when it has ended. */
        long spilledBytes();
    }

    /** Observes the progress of a stage; called by one thread at a time. */
    interface Watch {
        /**
         * @param why it failed, or null
         */
        void moved(SubtaskId subtask, TaskState to, @Nullable String why);

        void measured(SortedMap<SubtaskId, SubtaskMetrics> metrics);

        /** All tasks of the stage restart. */
        void restarted(String why);
    }
}
