package petrichor.jobs.leased;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The cost of a job's leased machines; amounts are millionths of a dollar.
 *
 * @param job the name under which it leased
 * @param elapsed from the first moment a machine worked until the last
 * @param fixedClusterMicros the cost of a fixed cluster: the maximum number of machines for the
 *     whole time
 * @param used machine time at work
 * @param idle machine time that was leased but not at work
 */
public record JobCost(
        String job,
        Duration elapsed,
        long paidMicros,
        long fixedClusterMicros,
        Duration used,
        Duration idle,
        List<Stage> stages) {
    public JobCost {
        stages = List.copyOf(stages);
    }

    /**
     * One stage.
     *
     * @param number from 0
     * @param machines number of machines that worked for it, by type
     */
    public record Stage(int number, Map<String, Integer> machines, Duration used, long paidMicros) {
        public Stage {
            machines = new TreeMap<>(machines);
        }
    }
}
