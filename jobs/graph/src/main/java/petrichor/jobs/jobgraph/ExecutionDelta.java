package petrichor.jobs.jobgraph;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One event in the execution of a job. */
public sealed interface ExecutionDelta {

    /** The job has changed its state; {@code why} is set where it fails or is canceled. */
    record JobMoved(JobState to, @Nullable String why) implements ExecutionDelta {}

    /** A subtask has changed its state; {@code why} is set where it fails. */
    record SubtaskMoved(SubtaskId subtask, TaskState to, @Nullable String why)
            implements ExecutionDelta {}

    /** A failed subtask restarts alone: it is connected with others only by files. */
    record SubtaskRetried(SubtaskId subtask) implements ExecutionDelta {}

    /**
     * All subtasks of a stage restart from the files before it.
     *
     * @param counts whether it counts against the stage's attempts; not where a machine was
     *     reclaimed after an announcement
     * @param why what happened to the previous attempt, for people
     */
    record StageRestarted(int stage, boolean counts, String why) implements ExecutionDelta {
        public StageRestarted(int stage, boolean counts) {
            this(stage, counts, "");
        }

        /** One that counts against the stage's attempts. */
        public StageRestarted(int stage) {
            this(stage, true);
        }
    }

    /** Metrics of subtasks so far. */
    record SubtasksMeasured(SortedMap<SubtaskId, SubtaskMetrics> metrics)
            implements ExecutionDelta {
        public SubtasksMeasured {
            metrics = Collections.unmodifiableSortedMap(new TreeMap<>(metrics));
        }
    }

    /**
     * The parallelism of a task has changed. Subtasks that leave finish like all others.
     *
     * @param joined the new subtasks, including those of tasks fused with it
     */
    record TaskScaled(TaskScaling scaling, List<SubtaskId> joined) implements ExecutionDelta {
        public TaskScaled {
            joined = List.copyOf(joined);
        }
    }

    /** A machine or process was assigned to an instance. */
    record InstancePlaced(int instance, String place) implements ExecutionDelta {}
}
