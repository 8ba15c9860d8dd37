package petrichor.jobs.jobgraph;

import java.time.Duration;
import java.util.Locale;
import petrichor.base.PetrichorException;

/**
 * The number of a task's subtasks has changed while it ran.
 *
 * @param at since the job graph began to run
 * @param why for people
 */
public record TaskScaling(int vertex, int from, int to, Duration at, String why) {
    public TaskScaling {
        if (from < 1 || to < 1 || at.isNegative()) {
            throw PetrichorException.invalid(
                    "a running task has at least one subtask, not " + from + " and then " + to);
        }
    }

    /** In a line without the task's name: {@code 1 -> 8 at 1.2 s: busy 99 %}. */
    public String text() {
        return String.format(
                Locale.ROOT, "%d -> %d at %.1f s: %s", from, to, at.toMillis() / 1e3, why);
    }
}
