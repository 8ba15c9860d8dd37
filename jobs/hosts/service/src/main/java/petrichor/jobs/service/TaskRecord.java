package petrichor.jobs.service;

import java.time.Duration;
import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.TaskScaling;
import petrichor.jobs.jobgraph.TaskSignature;

/**
 * What one task of a job has done, all its subtasks together.
 *
 * @param signature what is the same when the task recurs in another run
 * @param processing time in which its subtasks worked, summed
 * @param waiting time in which they waited for records or for room, summed
 * @param lesson what was learned of it
 * @param scalings when it got more or fewer subtasks while it ran
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
            throw PetrichorException.invalid("counters of a task must not be negative: " + name);
        }
    }

    /** One that kept its subtasks. */
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

    /** Records per second that its subtasks take together while all of them work. */
    public double capacity() {
        return processing.isZero() ? 0 : recordsIn * parallelism / (processing.toNanos() / 1e9);
    }
}
