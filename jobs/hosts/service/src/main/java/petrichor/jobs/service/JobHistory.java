package petrichor.jobs.service;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.TaskSignature;

/**
 * The jobs that have ended, the latest first; an immutable image that forgets the oldest when it is
 * full. What a task did in earlier runs is found by its signature: from that, better degrees of
 * parallelism can be learned (thesis, 3.3.1).
 */
public record JobHistory(List<JobRecord> jobs, int jobsMax) {
    public static final int JOBS_MAX = 1_000;

    /** Subtasks that add less than this to what a task can take are not worth having. */
    private static final double GAIN_MIN = 0.15;

    public JobHistory {
        jobs = List.copyOf(jobs);
        if (jobsMax < 1) {
            throw PetrichorException.invalid("a history of " + jobsMax + " jobs is too small");
        }
    }

    public static JobHistory empty() {
        return new JobHistory(List.of(), JOBS_MAX);
    }

    /** With one more job, without the oldest if there are too many. */
    public JobHistory with(JobRecord job) {
        var more = new ArrayList<JobRecord>(Math.min(jobs.size() + 1, jobsMax));
        more.add(job);
        more.addAll(jobs.subList(0, Math.min(jobs.size(), jobsMax - 1)));
        return new JobHistory(more, jobsMax);
    }

    public Optional<JobRecord> job(String id) {
        return jobs.stream().filter(job -> job.id().equals(id)).findFirst();
    }

    /** What a task did in the jobs that finished, the latest first. */
    public List<TaskRecord> runsOf(TaskSignature signature) {
        return jobs.stream()
                .filter(job -> job.state() == JobState.FINISHED)
                .flatMap(job -> job.tasks().stream())
                .filter(task -> task.signature().equals(signature))
                .toList();
    }

    /**
     * How many subtasks the contracts of plans should have, by their signatures: what the latest
     * run says that finished, unless an earlier one with fewer subtasks could do about as much.
     */
    public Map<String, Integer> learned() {
        Map<String, List<TaskRecord>> runs = new LinkedHashMap<>();
        for (var job : jobs) {
            if (job.state() == JobState.FINISHED) {
                for (var task : job.tasks()) {
                    for (var contract : task.lesson().contracts()) {
                        runs.computeIfAbsent(contract, _ -> new ArrayList<>()).add(task);
                    }
                }
            }
        }
        Map<String, Integer> learned = new LinkedHashMap<>();
        runs.forEach((contract, all) -> learned.put(contract, learned(all)));
        return learned;
    }

    private static int learned(List<TaskRecord> runs) {
        var latest = runs.getFirst();
        return runs.stream()
                .filter(run -> run.parallelism() < latest.parallelism())
                .filter(run -> run.capacity() * (1 + GAIN_MIN) >= latest.capacity())
                .mapToInt(TaskRecord::parallelism)
                .min()
                .orElse(latest.lesson().parallelism());
    }
}
