package petrichor.jobs.leased;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the machines cost that a job had leased; amounts are millionths of a dollar.
 *
 * @param job by what its leases are found
 * @param elapsed from the first moment a machine worked until the last
 * @param fixedClusterMicros what it would have cost to have the most machines all the time
 * @param used machine time at work
 * @param idle machine time that was leased and not at work
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
     * @param machines by type, how many worked for it
     */
    public record Stage(int number, Map<String, Integer> machines, Duration used, long paidMicros) {
        public Stage {
            machines = new TreeMap<>(machines);
        }
    }
}
