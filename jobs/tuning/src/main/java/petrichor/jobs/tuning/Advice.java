package petrichor.jobs.tuning;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The recommended parallelism of every task of a job, and its expected effect.
 *
 * @param seconds duration of the profile's interval
 * @param expectedSeconds expected duration of the same work
 * @param coresBusy utilisation of the processors in the interval
 * @param findings bottlenecks in the interval
 * @param tasks producers before consumers
 */
public record Advice(
        double seconds,
        double expectedSeconds,
        double coresBusy,
        List<Finding> findings,
        List<TaskAdvice> tasks) {
    /** Above this, tasks that look busy are waiting for a processor. */
    static final double CORES_BUSY = 0.85;

    public Advice {
        findings = List.copyOf(findings);
        tasks = List.copyOf(tasks);
    }

    public static Advice of(JobProfile profile, Resources resources) {
        return of(profile, resources, Set.of());
    }

    /**
     * @param exhausted keys of tasks that are known not to gain from more subtasks
     */
    public static Advice of(JobProfile profile, Resources resources, Set<String> exhausted) {
        return new Balance(profile, resources, exhausted).advice();
    }

    /** The recommended parallelism of every task, by its keys. */
    public Map<String, Integer> parallelism() {
        Map<String, Integer> all = new LinkedHashMap<>();
        tasks.forEach(
                task ->
                        task.task()
                                .keys()
                                .forEach(key -> all.merge(key, task.parallelism(), Math::max)));
        return all;
    }

    /** Whether the processors are the bottleneck: no parallelism helps. */
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
     * Adds the cheapest machine type for every task, if each has machines of its own for the
     * expected time, charged by the second. Without offers, unchanged.
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

    /** Cost of machines of the chosen types; 0 without offers. */
    public double dollars() {
        return tasks.stream().mapToDouble(TaskAdvice::dollars).sum();
    }
}
