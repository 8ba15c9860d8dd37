package petrichor.jobs.engine.operators;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskState;

/** Observes the states of subtasks. Safe for all threads. */
public interface SubtaskWatch {
    /**
     * @param why it failed, or null
     */
    void moved(SubtaskId subtask, TaskState to, @Nullable String why);
}
