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
 * The jobs that have ended, newest first; an immutable image of bounded size that drops the oldest.
 * The metrics of a task in earlier runs are found by its signature; better degrees of parallelism
 * are learned from them (thesis, 3.3.1).
 */
public record JobHistory(List<JobRecord> jobs, int jobsMax) {
    public static final int JOBS_MAX = 1_000;

    /** Additional subtasks that raise a task's capacity by less than this are not worth having. */
    private static final double GAIN_MIN = 0.15;

    public JobHistory {
        jobs = List.copyOf(jobs);
        if (jobsMax < 1) {
            throw PetrichorException.invalid(
                    "a history of {jobsMax} jobs is too small", "jobsMax", jobsMax);
        }
    }

    public static JobHistory empty() {
        return new JobHistory(List.of(), JOBS_MAX);
    }

    /** Adds a job, and drops the oldest if there are too many. */
    public JobHistory with(JobRecord job) {
        var more = new ArrayList<JobRecord>(Math.min(jobs.size() + 1, jobsMax));
        more.add(job);
        more.addAll(jobs.subList(0, Math.min(jobs.size(), jobsMax - 1)));
        return new JobHistory(more, jobsMax);
    }

    public Optional<JobRecord> job(String id) {
        return jobs.stream().filter(job -> job.id().equals(id)).findFirst();
    }

    /** The metrics of a task in the jobs that finished, newest first. */
    public List<TaskRecord> runsOf(TaskSignature signature) {
        return jobs.stream()
                .filter(job -> job.state() == JobState.FINISHED)
                .flatMap(job -> job.tasks().stream())
                .filter(task -> task.signature().equals(signature))
                .toList();
    }

    /**
     * The learned parallelism of contracts, by signature: that of the last finished run, unless an
     * earlier one with fewer subtasks had about the same capacity.
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
