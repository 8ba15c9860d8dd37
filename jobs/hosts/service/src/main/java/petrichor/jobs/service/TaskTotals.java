package petrichor.jobs.service;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import petrichor.jobs.jobgraph.SubtaskMetrics;
import petrichor.jobs.jobgraph.TaskScaling;
import petrichor.jobs.jobgraph.TaskSignature;

/**
 * Metrics of tasks over all rounds and parts of a job, by task signature. A task of an iteration
 * has one entry for all rounds. Immutable.
 */
public record TaskTotals(Map<String, Total> bySignature) {
    /** Keeps the entry of an iteration's task from growing with the number of rounds. */
    private static final int SCALINGS_MAX = 100;

    static final TaskTotals NONE = new TaskTotals(Map.of());

    record Total(
            String name,
            int parallelism,
            SubtaskMetrics metrics,
            TaskLesson lesson,
            List<TaskScaling> scalings) {}

    TaskTotals plus(List<TaskSnapshot> tasks) {
        if (tasks.isEmpty()) {
            return this;
        }
        Map<Integer, TaskLesson> lessons = LearnedParallelism.of(tasks);
        Map<String, Total> next = new LinkedHashMap<>(bySignature);
        for (TaskSnapshot task : tasks) {
            next.merge(
                    task.task().getSignature(),
                    new Total(
                            task.task().getName(),
                            task.subtasksMost(),
                            task.metrics(),
                            lessons.getOrDefault(task.task().getId(), TaskLesson.NONE),
                            task.scalings()),
                    (a, b) ->
                            new Total(
                                    a.name(),
                                    Math.max(a.parallelism(), b.parallelism()),
                                    a.metrics().plus(b.metrics()),
                                    // The lesson of the round with the most work is the most
                                    // reliable.
                                    a.metrics().processingNanos() > b.metrics().processingNanos()
                                            ? a.lesson()
                                            : b.lesson(),
                                    together(a.scalings(), b.scalings())));
        }
        return new TaskTotals(next);
    }

    /** The first {@link #SCALINGS_MAX} scalings, in the order of rounds. */
    private static List<TaskScaling> together(List<TaskScaling> a, List<TaskScaling> b) {
        return Stream.concat(a.stream(), b.stream()).limit(SCALINGS_MAX).toList();
    }

    List<TaskRecord> records() {
        return bySignature.entrySet().stream()
                .map(
                        each ->
                                new TaskRecord(
                                        each.getValue().name(),
                                        new TaskSignature(each.getKey()),
                                        each.getValue().parallelism(),
                                        each.getValue().metrics().recordsIn(),
                                        each.getValue().metrics().recordsOut(),
                                        Duration.ofNanos(
                                                each.getValue().metrics().processingNanos()),
                                        Duration.ofNanos(each.getValue().metrics().waitingNanos()),
                                        each.getValue().lesson(),
                                        each.getValue().scalings()))
                .toList();
    }
}
