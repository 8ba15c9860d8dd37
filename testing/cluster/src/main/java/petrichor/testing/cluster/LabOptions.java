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
 * @param sizes of the entities, which decides the workloads
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
        Sizes sizes,
        Path folder) {

    /** How large entities are. */
    public enum Sizes {
        /** A few properties each; judged transaction by transaction. */
        SMALL,
        /** 1 byte to 1 MB, so that partitions split; the state is compared after each restart. */
        MIXED
    }

    public LabOptions {
        faults = Set.copyOf(faults);
    }
}
