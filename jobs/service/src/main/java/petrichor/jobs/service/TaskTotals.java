package petrichor.jobs.service;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import petrichor.jobs.jobgraph.SubtaskFigures;
import petrichor.jobs.jobgraph.TaskLesson;
import petrichor.jobs.jobgraph.TaskRecord;
import petrichor.jobs.jobgraph.TaskSignature;

/**
 * What tasks have done over all rounds and parts of a job, by their signature: the rounds of an
 * iteration are one task each time. Immutable.
 */
public record TaskTotals(Map<String, Total> bySignature) {
    static final TaskTotals NONE = new TaskTotals(Map.of());

    record Total(String name, int parallelism, SubtaskFigures figures, TaskLesson lesson) {}

    TaskTotals plus(List<TaskImage> tasks) {
        if (tasks.isEmpty()) {
            return this;
        }
        Map<Integer, TaskLesson> lessons = Lessons.of(tasks);
        Map<String, Total> next = new LinkedHashMap<>(bySignature);
        for (TaskImage task : tasks) {
            next.merge(
                    task.task().signature(),
                    new Total(
                            task.task().name(),
                            task.task().parallelism(),
                            task.figures(),
                            lessons.getOrDefault(task.task().id(), TaskLesson.NONE)),
                    (a, b) ->
                            new Total(
                                    a.name(),
                                    Math.max(a.parallelism(), b.parallelism()),
                                    a.figures().plus(b.figures()),
                                    // The round with most work says most.
                                    a.figures().processingNanos() > b.figures().processingNanos()
                                            ? a.lesson()
                                            : b.lesson()));
        }
        return new TaskTotals(next);
    }

    List<TaskRecord> records() {
        return bySignature.entrySet().stream()
                .map(
                        each ->
                                new TaskRecord(
                                        each.getValue().name(),
                                        new TaskSignature(each.getKey()),
                                        each.getValue().parallelism(),
                                        each.getValue().figures().recordsIn(),
                                        each.getValue().figures().recordsOut(),
                                        Duration.ofNanos(
                                                each.getValue().figures().processingNanos()),
                                        Duration.ofNanos(each.getValue().figures().waitingNanos()),
                                        each.getValue().lesson()))
                .toList();
    }
}
