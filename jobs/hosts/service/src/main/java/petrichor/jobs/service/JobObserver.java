package petrichor.jobs.service;

import java.time.Duration;
import petrichor.jobs.jobgraph.JobState;

/** Observes the jobs of a service, for metrics. Called by the threads of jobs; must not block. */
public interface JobObserver {
    JobObserver NONE =
            new JobObserver() {
                @Override
                public void started(Duration queued) {}

                @Override
                public void ended(JobState outcome) {}

                @Override
                public void processed(long records, long bytes) {}

                @Override
                public void stageEnded(Duration took) {}

                @Override
                public void stageRepeated() {}
            };

    /** A job left the queue, in which it had waited for {@code queued}. */
    void started(Duration queued);

    /**
     * @param outcome FINISHED, FAILED or CANCELED
     */
    void ended(JobState outcome);

    /** Tasks have emitted this many more records, with this many bytes. */
    void processed(long records, long bytes);

    /** From the start of a stage's first attempt to its end. */
    void stageEnded(Duration took);

    /** A stage restarts because a worker process or a machine was lost. */
    void stageRepeated();
}
