package petrichor.jobs.service;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.SubtaskFigures;
import petrichor.jobs.jobgraph.TaskScaling;
import petrichor.jobs.jobgraph.TaskState;
import petrichor.jobs.tuning.TaskProfile;

/**
 * A task of the job graph that runs, with its subtasks. Immutable.
 *
 * @param subtasks all that have ever begun, and those that are to begin
 * @param scalings when it got more or fewer of them while it ran
 */
public record TaskImage(JobEvent.Task task, List<Subtask> subtasks, List<TaskScaling> scalings) {
    public TaskImage {
        subtasks = List.copyOf(subtasks);
        scalings = List.copyOf(scalings);
    }

    /**
     * @param failure why it failed, or null
     */
    public record Subtask(TaskState state, SubtaskFigures figures, @Nullable String failure) {}

    static TaskImage of(JobEvent.Task task) {
        Subtask fresh = new Subtask(TaskState.CREATED, SubtaskFigures.NONE, null);
        return new TaskImage(task, Collections.nCopies(task.parallelism(), fresh), List.of());
    }

    TaskImage moved(int subtask, TaskState to, @Nullable String why) {
        return with(subtask, new Subtask(to, subtasks.get(subtask).figures(), why));
    }

    TaskImage measured(int subtask, SubtaskFigures figures) {
        Subtask old = subtasks.get(subtask);
        return with(subtask, new Subtask(old.state(), figures, old.failure()));
    }

    /** With one more subtask, which is about to begin. */
    TaskImage joined() {
        List<Subtask> next = new ArrayList<>(subtasks);
        next.add(new Subtask(TaskState.READY, SubtaskFigures.NONE, null));
        return new TaskImage(task, next, scalings);
    }

    TaskImage scaled(TaskScaling scaling) {
        List<TaskScaling> all = new ArrayList<>(scalings);
        all.add(scaling);
        return new TaskImage(task, subtasks, all);
    }

    /** The most subtasks that it has had at a time. */
    public int subtasksMost() {
        return scalings.stream().mapToInt(TaskScaling::to).reduce(task.parallelism(), Math::max);
    }

    private TaskImage with(int subtask, Subtask changed) {
        List<Subtask> next = new ArrayList<>(subtasks);
        next.set(subtask, changed);
        return new TaskImage(task, next, scalings);
    }

    /** What all of them have done together. */
    public SubtaskFigures figures() {
        return subtasks.stream()
                .map(Subtask::figures)
                .reduce(SubtaskFigures.NONE, SubtaskFigures::plus);
    }

    /** That of the subtask that is least far; one that ended badly before all others. */
    public TaskState state() {
        TaskState least = TaskState.FINISHED;
        for (Subtask subtask : subtasks) {
            switch (subtask.state()) {
                case FAILED -> {
                    return TaskState.FAILED;
                }
                case CREATED, SCHEDULED, READY, RUNNING, FINISHING, FINISHED -> {
                    if (least.compareTo(subtask.state()) > 0) {
                        least = subtask.state();
                    }
                }
                case CANCELING, CANCELED -> least = subtask.state();
            }
        }
        return least;
    }

    public boolean isRunning() {
        return subtasks.stream()
                .map(Subtask::state)
                .anyMatch(state -> state == TaskState.RUNNING || state == TaskState.FINISHING);
    }

    /** What its subtasks have done, for whoever looks for bottlenecks. */
    TaskProfile profile() {
        return new TaskProfile(
                task.id(),
                task.name(),
                task.stage(),
                task.operation().equals("Read"),
                task.growable(),
                task.inputs(),
                task.contracts(),
                subtasks.stream().map(Subtask::figures).toList());
    }

    JsonObject json() {
        JsonObject json = new JsonObject();
        task.addTo(json);
        json.addProperty("state", state().name());
        EventJson.write(json, figures());
        JsonArray all = new JsonArray();
        for (Subtask subtask : subtasks) {
            JsonObject one = new JsonObject();
            one.addProperty("state", subtask.state().name());
            EventJson.write(one, subtask.figures());
            EventJson.add(one, "failure", subtask.failure());
            all.add(one);
        }
        json.add("subtasks", all);
        json.add("scalings", EventJson.scalings(scalings));
        return json;
    }
}
