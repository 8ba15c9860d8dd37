package petrichor.jobs.tuning;

import org.jspecify.annotations.Nullable;

/**
 * What is advised for one task.
 *
 * @param task what it did
 * @param finding what holds the job up here; null if nothing does
 * @param parallelism how many subtasks it should have
 * @param reason why, in a sentence without a full stop
 * @param machine the cheapest type to run it on; null where none was offered
 * @param dollars what machines of its own of that type cost for the expected time
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
