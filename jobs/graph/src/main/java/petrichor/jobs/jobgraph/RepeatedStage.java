package petrichor.jobs.jobgraph;

import petrichor.base.PetrichorException;

/**
 * A stage that was restarted because a process or a machine of the previous attempt was lost.
 *
 * @param part of the plan, from 0
 * @param round of an iteration, from 0
 * @param stage of the job graph, from 0
 * @param attempt number of the new attempt; the first restart is attempt 2
 * @param why what happened to the previous attempt
 */
public record RepeatedStage(int part, int round, int stage, int attempt, String why) {
    public RepeatedStage {
        if (attempt < 2) {
            throw PetrichorException.invalid(
                    "attempt {attempt} is not a repetition", "attempt", attempt);
        }
    }

    /** One line of text. */
    public String text() {
        return "stage " + (stage + 1) + " started again (attempt " + attempt + "): " + why;
    }
}
