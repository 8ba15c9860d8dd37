package petrichor.jobs.service;

import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.Annotations;

/**
 * What was learned about a task in a run.
 *
 * @param finding name of the bottleneck found there; empty if there was none
 * @param parallelism recommended for the next run
 * @param reason for the recommendation
 * @param contracts signatures of the plan's contracts that the task implements
 */
public record TaskLesson(String finding, int parallelism, String reason, List<String> contracts) {
    /** Nothing. */
    public static final TaskLesson NONE = new TaskLesson("", 0, "", List.of());

    public TaskLesson {
        contracts = List.copyOf(contracts);
        if (parallelism < 0 || parallelism > Annotations.PARALLELISM_MAX) {
            throw PetrichorException.invalid(
                    "learned parallelism must be positive, not {parallelism}",
                    "parallelism",
                    parallelism);
        }
    }
}
