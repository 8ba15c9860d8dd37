package petrichor.jobs.engine;

import java.util.List;
import petrichor.jobs.jobgraph.ExecutionGraph;

/** A job graph on its way, wherever its tasks run. Safe for all threads. */
public interface JobRun {
    /** How far it is: states as they are, figures at most half a second old. */
    ExecutionGraph image();

    /** The processes that were started for it and are there now; mostly none. */
    default List<Long> processes() {
        return List.of();
    }

    /** Stops it; {@link #await()} then fails. Does nothing when it has ended. */
    void cancel();

    /** Waits for the end, and fails as the job failed. */
    JobResult await();
}
