package petrichor.jobs.tuning;

import petrichor.base.PetrichorException;

/**
 * Resource limits of a job.
 *
 * @param cores available processors in total
 * @param subtasksPerTaskMax limit of one task's recommended parallelism
 * @param subtasksMax limit of the total
 */
public record Resources(double cores, int subtasksPerTaskMax, int subtasksMax) {
    /** More threads of one task cost more than they gain. */
    public static final int SUBTASKS_PER_TASK = 64;

    public static final int SUBTASKS = 256;

    public Resources {
        if (cores <= 0 || subtasksPerTaskMax < 1 || subtasksMax < 1) {
            throw PetrichorException.invalid("a job needs at least one processor and one subtask");
        }
    }

    public static Resources ofThisMachine() {
        return cores(Runtime.getRuntime().availableProcessors());
    }

    public static Resources cores(double cores) {
        return new Resources(cores, SUBTASKS_PER_TASK, SUBTASKS);
    }

    /** An unlimited number of machines. */
    public static Resources unlimited() {
        return cores(Double.MAX_VALUE);
    }

    public Resources withSubtasksMax(int subtasks) {
        return new Resources(cores, subtasksPerTaskMax, subtasks);
    }
}
