package petrichor.jobs.jobgraph;

import java.time.Duration;
import java.util.Locale;
import petrichor.base.PetrichorException;

/**
 * A change of a running task's parallelism.
 *
 * @param at since the start of the job graph
 * @param why for people
 */
public record TaskScaling(int vertex, int from, int to, Duration at, String why) {
    public TaskScaling {
        if (from < 1 || to < 1 || at.isNegative()) {
            throw PetrichorException.invalid(
                    "a scaling from {from} to {to} subtasks is invalid: both must be at least 1, at"
                            + " a time after the start",
                    "from",
                    from,
                    "to",
                    to);
        }
    }

    /** One line, without the task's name: {@code 1 -> 8 at 1.2 s: busy 99 %}. */
    public String text() {
        return String.format(
                Locale.ROOT, "%d -> %d at %.1f s: %s", from, to, at.toMillis() / 1e3, why);
    }
}
