package petrichor.jobs.service;

import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.Annotations;

/**
 * What was learned of a task in a run.
 *
 * @param finding in a word what held the job up there; empty if nothing did
 * @param parallelism how many subtasks it should have next time
 * @param reason why
 * @param contracts of which contracts of a plan that is known
 */
public record TaskLesson(String finding, int parallelism, String reason, List<String> contracts) {
    /** Nothing. */
    public static final TaskLesson NONE = new TaskLesson("", 0, "", List.of());

    public TaskLesson {
        contracts = List.copyOf(contracts);
        if (parallelism < 0 || parallelism > Annotations.PARALLELISM_MAX) {
            throw PetrichorException.invalid(
                    "learned parallelism must be positive, not " + parallelism);
        }
    }
}
