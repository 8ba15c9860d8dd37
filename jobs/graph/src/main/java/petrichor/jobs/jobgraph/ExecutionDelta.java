package petrichor.jobs.jobgraph;

import java.util.Collections;
import java.util.List;
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

    /**
     * All subtasks of a stage begin again from the files before it.
     *
     * @param counts whether it is one of the tries that a stage has; not where a machine was taken
     *     away that had been announced to go
     * @param why what happened to the attempt before, for people
     */
    record StageRestarted(int stage, boolean counts, String why) implements ExecutionDelta {
        public StageRestarted(int stage, boolean counts) {
            this(stage, counts, "");
        }

        /** As one of the tries that it has. */
        public StageRestarted(int stage) {
            this(stage, true);
        }
    }

    /** What subtasks have done so far. */
    record SubtasksMeasured(SortedMap<SubtaskId, SubtaskFigures> figures)
            implements ExecutionDelta {
        public SubtasksMeasured {
            figures = Collections.unmodifiableSortedMap(new TreeMap<>(figures));
        }
    }

    /**
     * A task has more or fewer subtasks than before. Those that leave finish as all do.
     *
     * @param joined the new ones, those of tasks in the same threads included
     */
    record TaskScaled(TaskScaling scaling, List<SubtaskId> joined) implements ExecutionDelta {
        public TaskScaled {
            joined = List.copyOf(joined);
        }
    }

    /** An execution instance has become a machine or process. */
    record InstancePlaced(int instance, String place) implements ExecutionDelta {}
}
