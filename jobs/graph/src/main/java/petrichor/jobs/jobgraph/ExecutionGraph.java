package petrichor.jobs.jobgraph;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * A job in execution: every subtask and every channel, with location and state. An immutable image.
 * The job master is its only writer: it applies {@link ExecutionDelta}s, one after the other, and
 * publishes the resulting image; readers need no lock. An invalid delta is refused with {@link
 * ErrorCode#FAILED_PRECONDITION} and changes nothing.
 *
 * @param scalings changes of the parallelism of running tasks; added subtasks are in no group and
 *     have no channels of their own here
 * @param failure why the job failed or was canceled, or null
 */
public record ExecutionGraph(
        JobGraph job,
        JobState state,
        List<ExecutionStage> stages,
        List<GroupVertex> groups,
        SortedMap<SubtaskId, ExecutionVertex> subtasks,
        List<ExecutionInstance> instances,
        List<ExecutionChannel> channels,
        List<TaskScaling> scalings,
        @Nullable String failure) {
    /** Limit of a subtask's attempts before the job fails. */
    public static final int ATTEMPTS_MAX = 3;

    /** Expands a job graph; refuses an invalid one. */
    public static ExecutionGraph of(JobGraph job) {
        return new ExecutionSpread(job.checked()).graph();
    }

    public ExecutionVertex subtask(SubtaskId id) {
        var found = subtasks.get(id);
        if (found == null) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "the job \"{job}\" has no subtask {id}",
                    "job",
                    job.name(),
                    "id",
                    id);
        }
        return found;
    }

    public GroupVertex group(int vertex) {
        return groups.stream()
                .filter(group -> group.vertex().id() == vertex)
                .findFirst()
                .orElseThrow(
                        () ->
                                PetrichorException.of(
                                        ErrorCode.NOT_FOUND,
                                        "the job \"{job}\" has no task {vertex}",
                                        "job",
                                        job.name(),
                                        "vertex",
                                        vertex));
    }

    /** The subtasks of a stage. */
    public List<ExecutionVertex> subtasksOf(int stage) {
        return subtasks.values().stream().filter(vertex -> stageOf(vertex.id()) == stage).toList();
    }

    /** Whether all earlier stages have finished, so that this one may start. */
    public boolean mayStart(int stage) {
        return subtasks.values().stream()
                .filter(vertex -> stageOf(vertex.id()) < stage)
                .allMatch(vertex -> vertex.state() == TaskState.FINISHED);
    }

    /**
     * Whether a subtask can be repeated without its neighbours: it is connected with them only by
     * files.
     */
    public boolean standsAlone(SubtaskId id) {
        return channels.stream()
                .filter(channel -> channel.from().equals(id) || channel.to().equals(id))
                .allMatch(channel -> channel.type() == ChannelType.FILE);
    }

    public ExecutionGraph apply(ExecutionDelta delta) {
        return switch (delta) {
            case ExecutionDelta.JobMoved(var to, var why) -> jobMoved(to, why);
            case ExecutionDelta.SubtaskMoved(var id, var to, var why) -> subtaskMoved(id, to, why);
            case ExecutionDelta.SubtaskRetried(var id) -> subtaskRetried(id);
            case ExecutionDelta.SubtasksMeasured(var metrics) ->
                    with(
                            metrics.entrySet().stream()
                                    .map(each -> subtask(each.getKey()).measured(each.getValue()))
                                    .toList());
            case ExecutionDelta.StageRestarted(var stage, var counts, _) ->
                    stageRestarted(stage, counts);
            case ExecutionDelta.TaskScaled(var scaling, var joined) -> scaled(scaling, joined);
            case ExecutionDelta.InstancePlaced(var instance, var place) -> placed(instance, place);
        };
    }

    private ExecutionGraph jobMoved(JobState to, @Nullable String why) {
        if (!state.mayBecome(to)) {
            throw refused("is " + state + " and cannot become " + to);
        }
        if (to == JobState.FINISHED && !all(TaskState.FINISHED::equals)) {
            throw refused("cannot be finished before " + unfinished(TaskState.FINISHED::equals));
        }
        if (to.hasEnded() && !all(s -> s.hasEnded() || s == TaskState.CREATED)) {
            throw refused(
                    "cannot end before " + unfinished(s -> s.hasEnded() || s == TaskState.CREATED));
        }
        // The first failure is the reason: later ones are often consequences.
        var reason = failure == null ? why : failure;
        return new ExecutionGraph(
                job, to, stages, groups, subtasks, instances, channels, scalings, reason);
    }

    private ExecutionGraph subtaskMoved(SubtaskId id, TaskState to, @Nullable String why) {
        var vertex = subtask(id);
        if (!vertex.state().mayBecome(to)) {
            throw refused(
                    "has the subtask "
                            + id
                            + ", which is "
                            + vertex.state()
                            + " and cannot become "
                            + to);
        }
        if (to == TaskState.SCHEDULED && !mayStart(stageOf(id))) {
            throw refused(
                    "cannot schedule subtask "
                            + id
                            + " of stage "
                            + stageOf(id)
                            + " while an earlier stage runs");
        }
        return with(List.of(vertex.moved(to, why)));
    }

    private ExecutionGraph subtaskRetried(SubtaskId id) {
        var vertex = subtask(id);
        if (vertex.state() != TaskState.FAILED && vertex.state() != TaskState.CANCELED) {
            throw refused(
                    "cannot retry subtask "
                            + id
                            + ": it is "
                            + vertex.state()
                            + ", neither failed nor canceled");
        }
        if (!standsAlone(id)) {
            throw refused(
                    "cannot retry subtask "
                            + id
                            + " alone: other subtasks have read its output; restart stage "
                            + stageOf(id));
        }
        return with(List.of(again(vertex, true)));
    }

    private ExecutionGraph stageRestarted(int stage, boolean counts) {
        if (stage < 0 || stage >= stages.size()) {
            throw refused("has no stage " + stage);
        }
        var again = new ArrayList<ExecutionVertex>();
        for (var vertex : subtasksOf(stage)) {
            if (!vertex.state().hasEnded() && vertex.state() != TaskState.CREATED) {
                throw refused(
                        "cannot restart stage "
                                + stage
                                + ": subtask "
                                + vertex.id()
                                + " is still "
                                + vertex.state());
            }
            again.add(again(vertex, counts));
        }
        boolean started =
                subtasks.values().stream()
                        .anyMatch(v -> stageOf(v.id()) > stage && v.state() != TaskState.CREATED);
        if (started) {
            throw refused("cannot restart stage " + stage + ": a later stage has started");
        }
        return with(again);
    }

    private ExecutionVertex again(ExecutionVertex vertex, boolean counts) {
        if (state != JobState.RUNNING) {
            throw refused("is " + state + ": only stages of a running job can be restarted");
        }
        if (counts && vertex.attempt() >= ATTEMPTS_MAX) {
            throw refused(
                    "has started subtask "
                            + vertex.id()
                            + " "
                            + vertex.attempt()
                            + " times and reached the limit; last failure: "
                            + vertex.failure());
        }
        return vertex.again(counts);
    }

    private ExecutionGraph placed(int instance, String place) {
        if (instance < 0 || instance >= instances.size()) {
            throw refused("has no instance " + instance);
        }
        var changed = new ArrayList<>(instances);
        changed.set(instance, instances.get(instance).at(place));
        return new ExecutionGraph(
                job,
                state,
                stages,
                groups,
                subtasks,
                List.copyOf(changed),
                channels,
                scalings,
                failure);
    }

    private ExecutionGraph scaled(TaskScaling scaling, List<SubtaskId> joined) {
        if (state != JobState.RUNNING) {
            throw refused("is " + state + ": no subtask can be added");
        }
        var fresh = new ArrayList<ExecutionVertex>();
        for (var id : joined) {
            if (subtasks.containsKey(id)) {
                throw refused("already has subtask " + id);
            }
            int instance = subtask(new SubtaskId(id.vertex(), 0)).instance();
            fresh.add(
                    new ExecutionVertex(
                            id, instance, TaskState.READY, 1, null, SubtaskMetrics.NONE));
        }
        var all = new ArrayList<>(scalings);
        all.add(scaling);
        return with(fresh, List.copyOf(all));
    }

    private ExecutionGraph with(List<ExecutionVertex> changed) {
        return with(changed, scalings);
    }

    private ExecutionGraph with(List<ExecutionVertex> changed, List<TaskScaling> newScalings) {
        var next = new TreeMap<>(subtasks);
        changed.forEach(vertex -> next.put(vertex.id(), vertex));
        return new ExecutionGraph(
                job,
                state,
                stages,
                groups,
                Collections.unmodifiableSortedMap(next),
                instances,
                channels,
                newScalings,
                failure);
    }

    private int stageOf(SubtaskId id) {
        return group(id.vertex()).stage();
    }

    private boolean all(Predicate<TaskState> predicate) {
        return subtasks.values().stream().map(ExecutionVertex::state).allMatch(predicate);
    }

    private String unfinished(Predicate<TaskState> done) {
        return subtasks.values().stream()
                .filter(vertex -> !done.test(vertex.state()))
                .map(vertex -> "subtask " + vertex.id() + " (" + vertex.state() + ")")
                .collect(Collectors.joining(", "));
    }

    private PetrichorException refused(String what) {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "the job \"{job}\" {problem}",
                "job",
                job.name(),
                "problem",
                what);
    }
}
