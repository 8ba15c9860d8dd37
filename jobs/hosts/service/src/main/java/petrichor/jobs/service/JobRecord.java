package petrichor.jobs.service;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.JobCounters;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.RepeatedStage;
import petrichor.jobs.leased.JobCost;

/**
 * A job that has ended.
 *
 * @param failure why it failed or was canceled, or null
 * @param cost of the machines that it leased, or null if it leased none
 * @param counters of its user code
 * @param resumes the job that it resumed, or null
 * @param attempts stages that were restarted
 */
public record JobRecord(
        String id,
        String name,
        JobState state,
        Instant started,
        Duration elapsed,
        @Nullable String failure,
        List<TaskRecord> tasks,
        @Nullable JobCost cost,
        JobCounters counters,
        @Nullable String resumes,
        List<RepeatedStage> attempts) {
    public JobRecord {
        attempts = List.copyOf(attempts);
        tasks = List.copyOf(tasks);
        if (!state.hasEnded()) {
            throw PetrichorException.invalid(
                    "the job {id} is {state}: only completed jobs are recorded",
                    "id",
                    id,
                    "state",
                    state);
        }
    }

    /** A job without leases and counters. */
    public JobRecord(
            String id,
            String name,
            JobState state,
            Instant started,
            Duration elapsed,
            @Nullable String failure,
            List<TaskRecord> tasks) {
        this(
                id,
                name,
                state,
                started,
                elapsed,
                failure,
                tasks,
                null,
                JobCounters.NONE,
                null,
                List.of());
    }
}
