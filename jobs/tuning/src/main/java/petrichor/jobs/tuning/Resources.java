package petrichor.jobs.tuning;

import petrichor.base.PetrichorException;

/**
 * What a job may take.
 *
 * @param cores processors available to it in total
 * @param subtasksPerTaskMax more of them for one task are never advised
 * @param subtasksMax nor more for all tasks together
 */
public record Resources(double cores, int subtasksPerTaskMax, int subtasksMax) {
    /** More threads of one task than this cost more than they bring. */
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

    /** As many machines as are wanted. */
    public static Resources unlimited() {
        return cores(Double.MAX_VALUE);
    }

    public Resources withSubtasksMax(int subtasks) {
        return new Resources(cores, subtasksPerTaskMax, subtasks);
    }
}
