package petrichor.jobs.service;

import java.util.Collections;
import java.util.List;
import petrichor.jobs.jobgraph.SubtaskMetrics;
import petrichor.jobs.jobgraph.TaskScaling;
import petrichor.jobs.jobgraph.TaskState;
import petrichor.jobs.service.Progress.Task;
import petrichor.jobs.tuning.TaskProfile;

/** A task of the job graph that runs, with its subtasks. Immutable. */
public record TaskSnapshot(Task task) {
    private static final long SIZE_UNKNOWN = -1;

    /** Of a task that the event of its start describes. */
    static TaskSnapshot created(Task task) {
        return new TaskSnapshot(
                task.toBuilder()
                        .addAllSubtasks(
                                Collections.nCopies(
                                        task.getParallelism(), subtask(TaskState.CREATED)))
                        .build());
    }

    static Progress.Subtask subtask(TaskState state) {
        return Progress.Subtask.newBuilder()
                .setState(ProgressMessages.of(state))
                .setMetrics(Progress.Metrics.getDefaultInstance())
                .build();
    }

    /** Bytes that a source has to read; negative if that is not known. */
    public long sourceBytes() {
        return task.hasSourceBytes() ? task.getSourceBytes() : SIZE_UNKNOWN;
    }

    public boolean isSource() {
        return task.getOperation().equals("Read");
    }

    /** When it got more or fewer subtasks while it ran. */
    public List<TaskScaling> scalings() {
        return task.getScalingsList().stream()
                .map(scaling -> ProgressMessages.scaling(scaling, task.getId()))
                .toList();
    }

    /** The most subtasks that it has had at a time. */
    public int subtasksMost() {
        return scalings().stream()
                .mapToInt(TaskScaling::to)
                .reduce(task.getParallelism(), Math::max);
    }

    /** Of each subtask. */
    public List<SubtaskMetrics> subtaskMetrics() {
        return task.getSubtasksList().stream()
                .map(subtask -> ProgressMessages.metrics(subtask.getMetrics()))
                .toList();
    }

    /** Of all subtasks together. */
    public SubtaskMetrics metrics() {
        return subtaskMetrics().stream().reduce(SubtaskMetrics.NONE, SubtaskMetrics::plus);
    }

    /** That of the least advanced subtask; that of a failed or cancelled one before all others. */
    public TaskState state() {
        TaskState least = TaskState.FINISHED;
        for (Progress.Subtask subtask : task.getSubtasksList()) {
            TaskState state = ProgressMessages.state(subtask.getState());
            switch (state) {
                case FAILED -> {
                    return TaskState.FAILED;
                }
                case CREATED, SCHEDULED, READY, RUNNING, FINISHING, FINISHED -> {
                    if (least.compareTo(state) > 0) {
                        least = state;
                    }
                }
                case CANCELING, CANCELED -> least = state;
            }
        }
        return least;
    }

    public boolean isRunning() {
        return task.getSubtasksList().stream()
                .map(Progress.Subtask::getState)
                .anyMatch(state -> state == Task.State.RUNNING || state == Task.State.FINISHING);
    }

    /** For the search for bottlenecks. */
    TaskProfile profile() {
        return new TaskProfile(
                task.getId(),
                task.getName(),
                task.getStage(),
                isSource(),
                task.getGrowable(),
                task.getInputsList(),
                task.getContractsList(),
                subtaskMetrics());
    }

    /** With its state and metrics, which follow from those of its subtasks. */
    Task complete() {
        return task.toBuilder()
                .setState(ProgressMessages.of(state()))
                .setMetrics(ProgressMessages.of(metrics()))
                .build();
    }
}
