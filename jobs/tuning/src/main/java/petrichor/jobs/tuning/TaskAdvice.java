package petrichor.jobs.tuning;

import org.jspecify.annotations.Nullable;

/**
 * The recommendation for one task.
 *
 * @param task its profile
 * @param finding the bottleneck here; null if there is none
 * @param parallelism recommended number of subtasks
 * @param reason one sentence without a full stop
 * @param machine the cheapest type to run it on; null without offers
 * @param dollars cost of machines of its own of that type for the expected time
 */
public record TaskAdvice(
        TaskProfile task,
        @Nullable Finding finding,
        int parallelism,
        String reason,
        @Nullable MachineOffer machine,
        double dollars) {
    public boolean isChange() {
        return parallelism != task.parallelism();
    }

    TaskAdvice on(MachineOffer offer, double cost) {
        return new TaskAdvice(task, finding, parallelism, reason, offer, cost);
    }
}
