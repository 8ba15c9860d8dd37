package petrichor.jobs.engine;

import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;

/**
 * Is told how far a job is: an image first, then what changes it. Called in order, never by two
 * threads at once, on threads of the job: it must be quick, and what it throws fails the job.
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
