package petrichor.jobs.flink;

import java.time.Duration;
import java.util.List;
import org.apache.flink.client.program.ClusterClient;
import org.apache.flink.client.program.MiniClusterClient;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.dispatcher.Dispatcher;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.minicluster.RpcServiceSharing;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** A Flink cluster inside this process, which listens on the loopback interface only. */
final class OwnCluster implements AutoCloseable {
    private static final String LOOPBACK = "127.0.0.1";

    /** Network memory of each machine: 2048 buffers of 32 KiB. */
    private static final MemorySize NETWORK_MEMORY = MemorySize.ofMebiBytes(64);

    /** Petrichor's tasks sort on the heap, not in Flink's managed memory. */
    private static final MemorySize MANAGED_MEMORY = MemorySize.ofMebiBytes(1);

    private static final Duration SLOTS_WAIT_MAX = Duration.ofSeconds(30);

    /** How often Flink checks for clients. */
    private static final Duration CLIENT_CHECK_INTERVAL = Duration.ofSeconds(1);

    private final MiniCluster cluster;
    private final ClusterClient<?> client;

    private OwnCluster(MiniCluster cluster, ClusterClient<?> client) {
        this.cluster = cluster;
        this.client = client;
    }

    static OwnCluster start(int machines, int slots) {
        return start(machines, slots, "");
    }

    /**
     * @param level as {@link StageTask#COMPRESSION}
     */
    static OwnCluster start(int machines, int slots, String level) {
        Configuration configuration = configuration(machines, slots);
        configuration.set(StageTask.COMPRESSION, level);
        MiniCluster cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumTaskManagers(machines)
                                .setNumSlotsPerTaskManager(slots)
                                .setRpcServiceSharing(RpcServiceSharing.SHARED)
                                .build());
        try {
            cluster.start();
        } catch (Exception e) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE, e, "Flink did not start: {reason}", "reason", e);
        }
        return new OwnCluster(cluster, new MiniClusterClient(configuration, cluster));
    }

    private static Configuration configuration(int machines, int slots) {
        Configuration configuration = new Configuration();
        if (machines > 1) {
            // All machines share the heap of this process.
            long heap = Runtime.getRuntime().maxMemory() / 2;
            configuration.set(StageTask.SLOT_MEMORY_BYTES, heap / machines / slots);
        }
        configuration.set(TaskManagerOptions.NUM_TASK_SLOTS, slots);
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MANAGED_MEMORY);
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, NETWORK_MEMORY);
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, NETWORK_MEMORY);
        configuration.set(JobManagerOptions.SLOT_REQUEST_TIMEOUT, SLOTS_WAIT_MAX);
        configuration.set(JobManagerOptions.BIND_HOST, LOOPBACK);
        configuration.set(TaskManagerOptions.BIND_HOST, LOOPBACK);
        configuration.set(TaskManagerOptions.HOST, LOOPBACK);
        configuration.set(Dispatcher.CLIENT_ALIVENESS_CHECK_DURATION, CLIENT_CHECK_INTERVAL);
        // Petrichor's own classes come from the process, not from a job's jar.
        configuration.set(
                CoreOptions.ALWAYS_PARENT_FIRST_LOADER_PATTERNS_ADDITIONAL, List.of("petrichor."));
        configuration.set(RestOptions.BIND_PORT, "0");
        configuration.set(RestOptions.ADDRESS, LOOPBACK);
        configuration.set(RestOptions.BIND_ADDRESS, LOOPBACK);
        return configuration;
    }

    ClusterClient<?> client() {
        return client;
    }

    /** Kills one of its machines. */
    void loseMachine(int number) throws Exception {
        cluster.terminateTaskManager(number).get();
    }

    /** Adds a machine. */
    void addMachine() throws Exception {
        cluster.startTaskManager();
    }

    @Override
    public void close() {
        client.close();
        try {
            cluster.close();
        } catch (Exception e) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE, e, "Flink did not stop: {reason}", "reason", e);
        }
    }
}
