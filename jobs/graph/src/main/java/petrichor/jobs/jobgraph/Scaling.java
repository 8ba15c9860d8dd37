package petrichor.jobs.jobgraph;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A policy for live scaling: chooses the parallelism of a running job's stateless tasks. One
 * instance for each run of a job graph, called by one thread. An exception fails the job.
 */
public interface Scaling {
    /** Minimum interval between calls. */
    default Duration every() {
        return Duration.ofMillis(250);
    }

    /**
     * The changes to make; usually none. The runner may do less, or nothing: a task never has fewer
     * subtasks than planned, and memory and subtasks are bounded.
     *
     * @param image with fresh measurements
     * @param present the tasks of the running stage whose parallelism may change, with their
     *     current parallelism; subtasks that were asked to stop do not count
     * @param elapsed since the job started
     */
    List<Wish> wishes(ExecutionGraph image, Map<Integer, Integer> present, Duration elapsed);

    /**
     * A requested parallelism of a task.
     *
     * @param why for people
     */
    record Wish(int vertex, int subtasks, String why) {}
}
