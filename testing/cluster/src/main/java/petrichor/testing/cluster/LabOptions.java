package petrichor.testing.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/**
 * What is set up and for how long.
 *
 * @param store by the name of its deployment
 * @param storeNodes nodes of that store
 * @param servers of Petrichor
 * @param zookeepers of the ensemble
 * @param clients of each workload
 * @param time that faults are injected
 * @param seed decides what clients and faults do; threads and the machine add their own chance
 * @param faults by name; empty means all that are possible
 * @param loopback no namespaces, also where they are possible
 * @param folder for data, logs and the report; must not exist or be empty
 */
public record LabOptions(
        String store,
        int storeNodes,
        int servers,
        int zookeepers,
        int clients,
        Duration time,
        long seed,
        Set<String> faults,
        boolean loopback,
        Path folder) {
    public LabOptions {
        faults = Set.copyOf(faults);
    }
}
