package petrichor.jobs.engine.hosted;

import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.SubtaskFigures;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskState;

/**
 * Another runtime that carries jobs stage by stage: it finds places for tasks, starts them there
 * and connects them, and lets each be done by a {@link HostedSubtask}. What a task does is ours;
 * where it runs is the runtime's. Safe for all threads.
 */
public interface StageRuntime extends AutoCloseable {
    /** The graph as it will run there, which may want more files between its tasks. */
    default JobGraph prepared(JobGraph graph) {
        return graph;
    }

    /** Begins a stage; what goes wrong fails {@link Running#await()}. */
    Running start(StageWork work, Watch watch);

    /** Ends what was opened for it; no stage runs any more. */
    @Override
    default void close() {}

    /** A stage on its way. */
    interface Running {
        /**
         * Waits until no task of the stage runs any more. Fails with {@link
         * petrichor.base.PetrichorException} as the first of its tasks failed.
         */
        void await() throws InterruptedException;

        /** Ends its tasks; {@link #await()} then fails. Does nothing when they have ended. */
        void cancel();

        /** What its tasks have put aside on disk; known when it has ended. */
        long spilledBytes();
    }

    /** Is told how far a stage is, by one thread at a time. */
    interface Watch {
        /**
         * @param why it failed, or null
         */
        void moved(SubtaskId subtask, TaskState to, @Nullable String why);

        void measured(SortedMap<SubtaskId, SubtaskFigures> figures);

        /** All tasks of the stage begin again. */
        void restarted(String why);
    }
}
