package petrichor.jobs.service;

import java.time.Duration;
import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.TaskScaling;
import petrichor.jobs.jobgraph.TaskSignature;

/**
 * The metrics of one task of a job, for all subtasks together.
 *
 * @param signature identifies the task in other runs
 * @param processing working time of its subtasks, summed
 * @param waiting time in which they waited for input or were blocked by back-pressure, summed
 * @param lesson what was learned about it
 * @param scalings changes of its parallelism while it ran
 */
public record TaskRecord(
        String name,
        TaskSignature signature,
        int parallelism,
        long recordsIn,
        long recordsOut,
        Duration processing,
        Duration waiting,
        TaskLesson lesson,
        List<TaskScaling> scalings) {
    public TaskRecord {
        scalings = List.copyOf(scalings);
        if (recordsIn < 0 || recordsOut < 0 || processing.isNegative() || waiting.isNegative()) {
            throw PetrichorException.invalid(
                    "counters of a task must not be negative: {name}", "name", name);
        }
    }

    /** One whose parallelism did not change. */
    public TaskRecord(
            String name,
            TaskSignature signature,
            int parallelism,
            long recordsIn,
            long recordsOut,
            Duration processing,
            Duration waiting,
            TaskLesson lesson) {
        this(
                name,
                signature,
                parallelism,
                recordsIn,
                recordsOut,
                processing,
                waiting,
                lesson,
                List.of());
    }

    /** Records per second that all of its subtasks together process while they work. */
    public double capacity() {
        return processing.isZero() ? 0 : recordsIn * parallelism / (processing.toNanos() / 1e9);
    }
}
