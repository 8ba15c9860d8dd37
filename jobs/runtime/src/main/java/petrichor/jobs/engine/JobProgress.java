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
import petrichor.jobs.jobgraph.SubtaskFigures;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskScaling;
import petrichor.jobs.jobgraph.TaskState;

/**
 * How far a job is: the only writer of its image. A task without a thread of its own moves with the
 * one whose chain it is in. Safe for all threads; the watcher is told under the monitor, so that it
 * hears everything in order.
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

    /** The job as a whole goes on, unless it is on its way to another end. */
    public synchronized void job(JobState to, @Nullable String why) {
        if (image.state().mayBecome(to)) {
            apply(new ExecutionDelta.JobMoved(to, why));
        }
    }

    /** All subtasks of a stage go on to this state. */
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
     * A stage begins again, all of it.
     *
     * @param lost whose subtasks are to blame
     * @param counts whether it is one of the stage's tries
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
     * A task has more or fewer subtasks than before.
     *
     * @param joined numbers of the new ones, who are about to begin
     * @return whether it has; a job that is on its way to an early end takes no more
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

    /** What subtasks have done; what is told after the end is not heard. */
    public synchronized void measured(SortedMap<SubtaskId, SubtaskFigures> figures) {
        if (!image.state().hasEnded()) {
            apply(new ExecutionDelta.SubtasksMeasured(figures));
        }
    }

    /** The job has ended; so has everything that is still underway, if not as it should. */
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

    /** Goes to a state by all those between. What has ended stays as it ended. */
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
                        // It goes on although it was told to stop: that is how it ends then.
                        case CANCELING, FINISHED, CANCELED, FAILED -> TaskState.CANCELED;
                    };
        };
    }

    private void apply(ExecutionDelta delta) {
        image = image.apply(delta);
        watcher.changed(delta);
    }
}
