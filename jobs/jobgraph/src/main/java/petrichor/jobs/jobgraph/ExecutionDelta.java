package petrichor.jobs.jobgraph;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One thing that has happened to a job in execution. */
public sealed interface ExecutionDelta {

    /** The job as a whole has gone on; {@code why} is told where it fails or is canceled. */
    record JobMoved(JobState to, @Nullable String why) implements ExecutionDelta {}

    /** A subtask has gone on; {@code why} is told where it fails. */
    record SubtaskMoved(SubtaskId subtask, TaskState to, @Nullable String why)
            implements ExecutionDelta {}

    /**
     * A subtask that ended badly begins again, alone: nothing but files connects it with others.
     */
    record SubtaskRetried(SubtaskId subtask) implements ExecutionDelta {}

    /** All subtasks of a stage begin again from the files before it. */
    record StageRestarted(int stage) implements ExecutionDelta {}

    /** What subtasks have done so far. */
    record SubtasksMeasured(SortedMap<SubtaskId, SubtaskFigures> figures)
            implements ExecutionDelta {
        public SubtasksMeasured {
            figures = Collections.unmodifiableSortedMap(new TreeMap<>(figures));
        }
    }

    /** An execution instance has become a machine or process. */
    record InstancePlaced(int instance, String place) implements ExecutionDelta {}
}
