package petrichor.jobs.service;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskState;
import petrichor.jobs.service.Progress.Event;

/** Turns the events of one job into what an observer wants to know. Belongs to its job's lock. */
final class JobObservation {
    private final JobObserver observer;

    /** When the stages of the graph that runs started, on the monotonic clock. */
    private final Map<Integer, Long> startedAtNanos = new HashMap<>();

    JobObservation(JobObserver observer) {
        this.observer = observer;
    }

    /**
     * @param before the snapshot that the event changed
     * @param after what it became
     */
    void saw(JobSnapshot before, Event event, JobSnapshot after) {
        switch (event.getKindCase()) {
            case JOB -> {
                Instant started = after.started();
                if (before.started() == null && started != null) {
                    observer.started(Duration.between(after.submitted(), started));
                }
            }
            case BEGAN -> startedAtNanos.clear();
            case SUBTASK -> moved(event.getSubtask(), after);
            case METRICS -> measured(before, event.getMetrics());
            case RESTARTED -> observer.stageRepeated();
            case ENDED -> observer.ended(ProgressMessages.state(event.getEnded().getState()));
            case SNAPSHOT,
                    COMPILED,
                    SCALED,
                    PLAN_STARTED,
                    PLAN_ENDED,
                    PRINTED,
                    EXITING,
                    ALIVE,
                    KIND_NOT_SET -> {}
        }
    }

    private void moved(Event.SubtaskMoved moved, JobSnapshot after) {
        for (Progress.Task task : after.job().getTasksList()) {
            if (task.getId() != moved.getTask()) {
                continue;
            }
            int stage = task.getStage();
            if (moved.getState() == Progress.Task.State.RUNNING) {
                startedAtNanos.putIfAbsent(stage, System.nanoTime());
            } else if (moved.getState() == Progress.Task.State.FINISHED
                    && hasFinished(stage, after)) {
                Long started = startedAtNanos.remove(stage);
                if (started != null) {
                    observer.stageEnded(Duration.ofNanos(System.nanoTime() - started));
                }
            }
        }
    }

    private static boolean hasFinished(int stage, JobSnapshot snapshot) {
        return snapshot.tasks().stream()
                .filter(task -> task.task().getStage() == stage)
                .allMatch(task -> task.state() == TaskState.FINISHED);
    }

    /** A repeated stage starts at zero again: what it did before stays counted. */
    private void measured(JobSnapshot before, Event.Measured measured) {
        Map<SubtaskId, Progress.Metrics> then = new HashMap<>();
        for (Progress.Task task : before.job().getTasksList()) {
            for (int i = 0; i < task.getSubtasksCount(); i++) {
                then.put(new SubtaskId(task.getId(), i), task.getSubtasks(i).getMetrics());
            }
        }
        long records = 0;
        long bytes = 0;
        for (Event.Measured.Measurement each : measured.getSubtasksList()) {
            Progress.Metrics old = then.get(new SubtaskId(each.getTask(), each.getSubtask()));
            if (old != null) {
                records += Math.max(0, each.getMetrics().getRecordsOut() - old.getRecordsOut());
                bytes += Math.max(0, each.getMetrics().getBytesOut() - old.getBytesOut());
            }
        }
        observer.processed(records, bytes);
    }
}
