package petrichor.jobs.engine;

import petrichor.jobs.jobgraph.ExecutionGraph;

/** A job graph on its way, wherever its tasks run. Safe for all threads. */
public sealed interface JobRun permits RunningJob, WorkersRun, HostedRun {
    /** How far it is: states as they are, figures at most half a second old. */
    ExecutionGraph image();

    /** Stops it; {@link #await()} then fails. Does nothing when it has ended. */
    void cancel();

    /** Waits for the end, and fails as the job failed. */
    JobResult await();
}
