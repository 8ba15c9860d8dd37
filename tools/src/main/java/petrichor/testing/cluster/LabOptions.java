package petrichor.testing.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/**
 * The setup and duration of a run.
 *
 * @param store name of its deployment
 * @param storeNodes nodes of that store
 * @param servers number of Petrichor servers
 * @param zookeepers nodes of the ensemble
 * @param clients of each workload
 * @param time duration of fault injection
 * @param seed determines the actions of clients and faults; threads and the machine remain
 *     nondeterministic
 * @param faults names of kinds; empty means all possible ones
 * @param loopback uses no namespaces even if they are possible
 * @param sizes of entities, which select the workloads
 * @param folder for data, logs and the report; must be new or empty
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

    /** Sizes of entities. */
    public enum Sizes {
        /** Entities with a few properties; every transaction is checked. */
        SMALL,
        /** 1 byte to 1 MB, so that partitions split; the content is compared after each fault. */
        MIXED
    }

    public LabOptions {
        faults = Set.copyOf(faults);
    }
}
