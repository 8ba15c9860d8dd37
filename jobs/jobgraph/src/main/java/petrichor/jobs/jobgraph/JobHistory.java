package petrichor.jobs.jobgraph;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import petrichor.base.PetrichorException;

/**
 * The jobs that have ended, the latest first; an immutable image that forgets the oldest when it is
 * full. What a task did in earlier runs is found by its signature: from that, better degrees of
 * parallelism can be learned (thesis, 3.3.1).
 */
public record JobHistory(List<JobRecord> jobs, int jobsMax) {
    public static final int JOBS_MAX = 1_000;

    public JobHistory {
        jobs = List.copyOf(jobs);
        if (jobsMax < 1) {
            throw PetrichorException.invalid("a history of " + jobsMax + " jobs remembers nothing");
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
}
