package petrichor.jobs.engine;

import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;

/**
 * Observes a job's progress: receives an image first, then the changes to it. Called in order,
 * never by two threads at once, on threads of the job: implementations must be quick, and an
 * exception fails the job.
 */
public interface JobWatcher {
    JobWatcher NONE =
            new JobWatcher() {
                @Override
                public void began(ExecutionGraph image) {}

                @Override
                public void changed(ExecutionDelta delta) {}
            };

    void began(ExecutionGraph image);

    void changed(ExecutionDelta delta);
}
