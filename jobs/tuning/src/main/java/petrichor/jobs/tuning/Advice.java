package petrichor.jobs.tuning;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How many subtasks every task of a job should have, and what that would bring.
 *
 * @param seconds what the profile's span took
 * @param expectedSeconds what it would take
 * @param coresBusy the part of the span in which the processors were busy with it
 * @param findings what holds the job up as it is
 * @param tasks producers before consumers
 */
public record Advice(
        double seconds,
        double expectedSeconds,
        double coresBusy,
        List<Finding> findings,
        List<TaskAdvice> tasks) {
    /** Above this, tasks that look busy wait for a processor. */
    static final double CORES_BUSY = 0.85;

    public Advice {
        findings = List.copyOf(findings);
        tasks = List.copyOf(tasks);
    }

    public static Advice of(JobProfile profile, Resources resources) {
        return of(profile, resources, Set.of());
    }

    /**
     * @param exhausted keys of tasks of which is known that more subtasks bring nothing
     */
    public static Advice of(JobProfile profile, Resources resources, Set<String> exhausted) {
        return new Balance(profile, resources, exhausted).advice();
    }

    /** The number of subtasks that every task should have, by its keys. */
    public Map<String, Integer> parallelism() {
        Map<String, Integer> all = new LinkedHashMap<>();
        tasks.forEach(
                task ->
                        task.task()
                                .keys()
                                .forEach(key -> all.merge(key, task.parallelism(), Math::max)));
        return all;
    }

    /** Whether the processors are what holds the job up: no number of subtasks helps. */
    public boolean areCoresBusy() {
        return coresBusy > CORES_BUSY;
    }

    public boolean isChange() {
        return tasks.stream().anyMatch(TaskAdvice::isChange);
    }

    public int subtasks() {
        return tasks.stream().mapToInt(TaskAdvice::parallelism).sum();
    }

    /**
     * With the cheapest type of machine for every task, if each has machines of its own for the
     * expected time; time is charged by the second. Without offers it stays as it is.
     */
    public Advice on(List<MachineOffer> offers) {
        if (offers.isEmpty()) {
            return this;
        }
        return new Advice(
                seconds,
                expectedSeconds,
                coresBusy,
                findings,
                tasks.stream().map(task -> cheapest(task, offers)).toList());
    }

    private TaskAdvice cheapest(TaskAdvice task, List<MachineOffer> offers) {
        MachineOffer best =
                offers.stream()
                        .min(
                                Comparator.comparingDouble(
                                        (MachineOffer offer) ->
                                                offer.dollars(task.parallelism(), expectedSeconds)))
                        .orElseThrow();
        return task.on(best, best.dollars(task.parallelism(), expectedSeconds));
    }

    /** What machines of the chosen types cost; 0 without offers. */
    public double dollars() {
        return tasks.stream().mapToDouble(TaskAdvice::dollars).sum();
    }
}
