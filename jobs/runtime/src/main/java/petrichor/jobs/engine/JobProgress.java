package petrichor.jobs.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.engine.assembly.Fusion;
import petrichor.jobs.engine.operators.SubtaskWatch;
import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.ExecutionVertex;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.SubtaskMetrics;
import petrichor.jobs.jobgraph.TaskScaling;
import petrichor.jobs.jobgraph.TaskState;

/**
 * Keeps a job's progress: the only writer of its image. A fused task has no thread of its own and
 * changes state with the task in whose chain it is. Safe for all threads; the watcher is called
 * under the monitor, so that it sees all changes in order.
 */
public final class JobProgress implements SubtaskWatch {
    private final JobWatcher watcher;
    private final Map<Integer, List<Integer>> carried = new HashMap<>();
    private ExecutionGraph image;

    JobProgress(JobGraph graph, JobWatcher watcher, Fusion fusion) {
        this.watcher = watcher;
        this.image = ExecutionGraph.of(graph);
        for (JobVertex vertex : graph.vertices()) {
            if (fusion.isFused(vertex)) {
                JobVertex carrier = vertex;
                while (fusion.isFused(carrier)) {
                    carrier = graph.vertex(graph.incoming(carrier.id()).getFirst().from());
                }
                carried.computeIfAbsent(carrier.id(), _ -> new ArrayList<>()).add(vertex.id());
            }
        }
    }

    synchronized void begin() {
        watcher.began(image);
    }

    synchronized ExecutionGraph image() {
        return image;
    }

    /** Moves the job to this state, unless it is about to end in another one. */
    public synchronized void job(JobState to, @Nullable String why) {
        if (image.state().mayBecome(to)) {
            apply(new ExecutionDelta.JobMoved(to, why));
        }
    }

    /** Moves all subtasks of a stage to this state. */
    public synchronized void stage(int stage, TaskState to) {
        image.subtasksOf(stage).forEach(vertex -> advance(vertex.id(), to, null));
    }

    @Override
    public synchronized void moved(SubtaskId subtask, TaskState to, @Nullable String why) {
        advance(subtask, to, why);
        for (int vertex : carried.getOrDefault(subtask.vertex(), List.of())) {
            advance(new SubtaskId(vertex, subtask.subtask()), to, why);
        }
    }

    /**
     * Restarts a whole stage.
     *
     * @param lost the subtasks that caused it
     * @param counts whether it counts as one of the stage's attempts
     */
    public synchronized void restart(
            int stage, Predicate<SubtaskId> lost, String why, boolean counts) {
        for (ExecutionVertex vertex : image.subtasksOf(stage)) {
            if (vertex.state() != TaskState.CREATED) {
                boolean blamed = lost.test(vertex.id()) && !vertex.state().hasEnded();
                advance(vertex.id(), blamed ? TaskState.FAILED : TaskState.CANCELED, why);
            }
        }
        if (image.state() == JobState.RUNNING) {
            apply(new ExecutionDelta.StageRestarted(stage, counts, why));
        }
    }

    /**
     * Changes the parallelism of a task.
     *
     * @param joined numbers of the new subtasks, which are about to start
     * @return whether it was changed; a job that is ending early accepts no new subtasks
     */
    synchronized boolean scaled(TaskScaling scaling, List<Integer> joined) {
        boolean runs = image.state() == JobState.RUNNING;
        if (runs) {
            List<SubtaskId> ids = new ArrayList<>();
            for (int number : joined) {
                ids.add(new SubtaskId(scaling.vertex(), number));
                for (int vertex : carried.getOrDefault(scaling.vertex(), List.of())) {
                    ids.add(new SubtaskId(vertex, number));
                }
            }
            apply(new ExecutionDelta.TaskScaled(scaling, ids));
        }
        return runs;
    }

    /** Updates the metrics of subtasks; ignored after the end of the job. */
    public synchronized void measured(SortedMap<SubtaskId, SubtaskMetrics> metrics) {
        if (!image.state().hasEnded()) {
            apply(new ExecutionDelta.SubtasksMeasured(metrics));
        }
    }

    /** Ends the job, and all subtasks that have not ended. */
    synchronized void ended(JobState state, @Nullable String why) {
        for (ExecutionVertex vertex : image.subtasks().values()) {
            if (vertex.state() != TaskState.CREATED) {
                advance(vertex.id(), TaskState.CANCELED, null);
            }
        }
        if (state != JobState.FINISHED) {
            job(state == JobState.FAILED ? JobState.FAILING : JobState.CANCELING, why);
        }
        job(state, why);
    }

    /** Moves to a state through all states in between. A final state never changes. */
    private void advance(SubtaskId id, TaskState to, @Nullable String why) {
        TaskState at = image.subtask(id).state();
        while (at != to && !at.hasEnded() && !image.state().hasEnded()) {
            TaskState next = at.mayBecome(to) ? to : between(at, to);
            apply(new ExecutionDelta.SubtaskMoved(id, next, next == to ? why : null));
            at = next;
        }
    }

    private static TaskState between(TaskState at, TaskState to) {
        return switch (to) {
            case CANCELED -> TaskState.CANCELING;
            case CREATED, SCHEDULED, READY, RUNNING, FINISHING, FINISHED, CANCELING, FAILED ->
                    switch (at) {
                        case CREATED -> TaskState.SCHEDULED;
                        case SCHEDULED -> TaskState.READY;
                        case READY -> TaskState.RUNNING;
                        case RUNNING -> TaskState.FINISHING;
                        case FINISHING -> TaskState.FINISHED;
                        // It finishes although it was asked to stop; it still ends as cancelled.
                        case CANCELING, FINISHED, CANCELED, FAILED -> TaskState.CANCELED;
                    };
        };
    }

    private void apply(ExecutionDelta delta) {
        image = image.apply(delta);
        watcher.changed(delta);
    }
}
