package petrichor.jobs.jobgraph;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Says how many subtasks the stateless tasks of a running job should have. One for each run of a
 * job graph, asked by one thread. What it throws fails the job.
 */
public interface Scaling {
    /** How often it wants to be asked, at most. */
    default Duration every() {
        return Duration.ofMillis(250);
    }

    /**
     * What is to change; mostly nothing. Whoever runs the job may do less, or nothing: a task never
     * has fewer subtasks than its plan says, and memory and subtasks are bounded.
     *
     * @param image measured just now
     * @param present the tasks of the running stage that may change, with how many of their
     *     subtasks take part; those that were told to leave do not count
     * @param elapsed since the job began
     */
    List<Wish> wishes(ExecutionGraph image, Map<Integer, Integer> present, Duration elapsed);

    /**
     * A number of subtasks for a task.
     *
     * @param why for people
     */
    record Wish(int vertex, int subtasks, String why) {}
}
