package petrichor.jobs.service;

import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.SubtaskFigures;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskState;

/** One thing that has happened to a submitted job. Data only. */
public sealed interface JobEvent {

    /** The job as a whole has gone on. */
    record Moved(JobState to) implements JobEvent {}

    /** What the plan was compiled to: one explanation per job graph. */
    record Compiled(String plan, List<PlanPart> parts) implements JobEvent {
        public Compiled {
            parts = List.copyOf(parts);
        }
    }

    /**
     * A job graph begins: a part of the plan, or a round of an iteration.
     *
     * @param part from 0
     * @param round from 0
     */
    record Began(int part, int round, int stages, List<Task> tasks) implements JobEvent {
        public Began {
            tasks = List.copyOf(tasks);
        }
    }

    /** A subtask of the graph that runs has gone on; {@code why} is told where it fails. */
    record SubtaskMoved(SubtaskId subtask, TaskState to, @Nullable String why)
            implements JobEvent {}

    /** What subtasks of the graph that runs have done so far. */
    record Measured(SortedMap<SubtaskId, SubtaskFigures> figures) implements JobEvent {}

    /** Nothing has happened; whoever tells this is alive. */
    record Alive() implements JobEvent {}

    /**
     * The end.
     *
     * @param code of the failure; null where there is none
     */
    record Ended(
            JobState state,
            @Nullable ErrorCode code,
            @Nullable String why,
            Duration elapsed,
            long spilledBytes)
            implements JobEvent {}

    /** A task of a job graph. */
    record Task(
            int id, String name, String operation, int stage, int parallelism, String signature) {}

    /** Why a job graph looks as it does; see {@link petrichor.jobs.pact.compiler.Explanation}. */
    record PlanPart(String text, String json, String drawing) {}
}
