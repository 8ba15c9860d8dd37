package petrichor.jobs.service;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import petrichor.jobs.tuning.Advice;
import petrichor.jobs.tuning.Finding;
import petrichor.jobs.tuning.JobProfile;
import petrichor.jobs.tuning.Resources;
import petrichor.jobs.tuning.TaskAdvice;

/** Derives lessons from the tasks of a completed job graph, by task id. Stateless. */
final class LearnedParallelism {
    private LearnedParallelism() {}

    static Map<Integer, TaskLesson> of(List<TaskSnapshot> tasks) {
        Map<Integer, TaskLesson> lessons = new HashMap<>();
        JobProfile profile = new JobProfile(tasks.stream().map(TaskSnapshot::profile).toList());
        for (TaskAdvice advice : Advice.of(profile, Resources.ofThisMachine()).tasks()) {
            Finding finding = advice.finding();
            lessons.put(
                    advice.task().id(),
                    new TaskLesson(
                            finding == null ? "" : finding.displayName(),
                            advice.parallelism(),
                            advice.reason(),
                            advice.task().keys()));
        }
        return lessons;
    }
}
