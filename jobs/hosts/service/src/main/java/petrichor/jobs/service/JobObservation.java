package petrichor.jobs.service;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.SubtaskFigures;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskState;

/** Turns the events of one job into what an observer wants to know. Belongs to its job's lock. */
final class JobObservation {
    private final JobObserver observer;

    /** When the stages of the graph that runs started, on the monotonic clock. */
    private final Map<Integer, Long> startedAtNanos = new HashMap<>();

    JobObservation(JobObserver observer) {
        this.observer = observer;
    }

    /**
     * @param before the image that the event changed
     * @param after what it became
     */
    void saw(JobSnapshot before, JobEvent event, JobSnapshot after) {
        switch (event) {
            case JobEvent.Moved(var to) -> {
                if (to == JobState.RUNNING && before.begun() == null && after.begun() != null) {
                    observer.started(Duration.between(after.submitted(), after.begun()));
                }
            }
            case JobEvent.Began _ -> startedAtNanos.clear();
            case JobEvent.SubtaskMoved(var id, var to, _) -> moved(id, to, after);
            case JobEvent.Measured(var figures) -> measured(before, figures);
            case JobEvent.Restarted _ -> observer.stageRepeated();
            case JobEvent.Ended ended -> observer.ended(ended.state());
            case JobEvent.Compiled _,
                    JobEvent.Scaled _,
                    JobEvent.PlanStarted _,
                    JobEvent.PlanEnded _,
                    JobEvent.Printed _,
                    JobEvent.Exiting _,
                    JobEvent.Alive _ -> {}
        }
    }

    private void moved(SubtaskId id, TaskState to, JobSnapshot after) {
        List<Integer> stages =
                after.tasks().stream()
                        .map(TaskImage::task)
                        .filter(task -> task.id() == id.vertex())
                        .map(JobEvent.Task::stage)
                        .toList();
        for (int stage : stages) {
            if (to == TaskState.RUNNING) {
                startedAtNanos.putIfAbsent(stage, System.nanoTime());
            } else if (to == TaskState.FINISHED && hasFinished(stage, after)) {
                Long started = startedAtNanos.remove(stage);
                if (started != null) {
                    observer.stageEnded(Duration.ofNanos(System.nanoTime() - started));
                }
            }
        }
    }

    private static boolean hasFinished(int stage, JobSnapshot image) {
        return image.tasks().stream()
                .filter(task -> task.task().stage() == stage)
                .allMatch(task -> task.state() == TaskState.FINISHED);
    }

    /** A repeated stage begins at zero again: what it did before stays counted. */
    private void measured(JobSnapshot before, Map<SubtaskId, SubtaskFigures> figures) {
        long records = 0;
        long bytes = 0;
        for (TaskImage task : before.tasks()) {
            for (int subtask = 0; subtask < task.subtasks().size(); subtask++) {
                SubtaskFigures now = figures.get(new SubtaskId(task.task().id(), subtask));
                if (now != null) {
                    SubtaskFigures then = task.subtasks().get(subtask).figures();
                    records += Math.max(0, now.recordsOut() - then.recordsOut());
                    bytes += Math.max(0, now.bytesOut() - then.bytesOut());
                }
            }
        }
        observer.processed(records, bytes);
    }
}
