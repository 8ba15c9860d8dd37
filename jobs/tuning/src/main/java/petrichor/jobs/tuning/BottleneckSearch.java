package petrichor.jobs.tuning;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import petrichor.base.PetrichorException;

/**
 * Finds the bottlenecks of a job (thesis, chapter 4, algorithms 1 to 3), from the sinks to the
 * sources. A task that works nearly all the time is a CPU bottleneck, unless a downstream task is:
 * then that one is the cause, because it receives more than it can process. Only if there is none
 * can full channels be caused by the transport; an edge whose channels are full nearly all the time
 * is an I/O bottleneck, unless a downstream edge is.
 *
 * <p>The thesis uses averages over subtasks. One busy subtask among idle ones delays a job as well,
 * and more subtasks do not help: this is searched for in the same way by the maximum, after CPU
 * bottlenecks and before I/O bottlenecks, and called skew. With one subtask per task this is
 * exactly the thesis' algorithm.
 *
 * @param busy a task is busy above this fraction of its time
 * @param full a channel is full above this fraction of the time
 */
public record BottleneckSearch(double busy, double full) {
    /** Nine tenths for both, as in the thesis. */
    public static final BottleneckSearch STANDARD = new BottleneckSearch(0.9, 0.9);

    public BottleneckSearch {
        if (busy <= 0 || busy > 1 || full <= 0 || full > 1) {
            throw PetrichorException.invalid("thresholds must be greater than 0 and at most 1");
        }
    }

    /** The bottlenecks; empty if there are none. */
    public List<Finding> in(JobProfile profile) {
        List<TaskProfile> backwards = profile.tasks().reversed();
        List<Finding> found = new ArrayList<>();
        for (TaskProfile task : last(profile, backwards, each -> each.busyMean() > busy)) {
            found.add(new Finding.Cpu(task.id(), task.name(), task.busyMean(), task.busyMax()));
        }
        if (!found.isEmpty()) {
            return found;
        }
        for (TaskProfile task : last(profile, backwards, each -> each.busyMax() > busy)) {
            found.add(
                    new Finding.Skew(
                            task.id(),
                            task.name(),
                            task.busyMean(),
                            task.busyMax(),
                            busiest(task)));
        }
        return found.isEmpty() ? fullEdges(profile, backwards) : found;
    }

    /** The tasks that satisfy the condition while no downstream task does. */
    private static List<TaskProfile> last(
            JobProfile profile, List<TaskProfile> backwards, Predicate<TaskProfile> condition) {
        List<TaskProfile> found = new ArrayList<>();
        Set<Integer> ids = new HashSet<>();
        for (TaskProfile task : backwards) {
            if (condition.test(task)
                    && profile.behind(task.id()).stream().noneMatch(ids::contains)) {
                found.add(task);
                ids.add(task.id());
            }
        }
        return found;
    }

    private static int busiest(TaskProfile task) {
        int most = 0;
        for (int i = 1; i < task.parallelism(); i++) {
            if (task.subtasks().get(i).processingNanos()
                    > task.subtasks().get(most).processingNanos()) {
                most = i;
            }
        }
        return most;
    }

    private List<Finding> fullEdges(JobProfile profile, List<TaskProfile> backwards) {
        List<Finding> found = new ArrayList<>();
        Set<Integer> senders = new HashSet<>();
        for (TaskProfile task : backwards) {
            for (EdgeProfile edge : profile.edgesFrom(task)) {
                // Downstream edges start at its receiver or after it.
                Set<Integer> behind = new HashSet<>(profile.behind(edge.to()));
                behind.add(edge.to());
                if (edge.mean() > full && behind.stream().noneMatch(senders::contains)) {
                    found.add(
                            new Finding.Io(
                                    task.id(),
                                    edge.to(),
                                    task.name(),
                                    profile.task(edge.to()).name(),
                                    edge.mean(),
                                    edge.max()));
                }
            }
            found.forEach(each -> senders.add(each.task()));
        }
        return found;
    }
}
