package petrichor.jobs.flink;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.flink.client.program.ClusterClient;
import org.apache.flink.client.program.MiniClusterClient;
import org.apache.flink.client.program.rest.RestClusterClient;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.clusterframework.types.ResourceProfile;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.minicluster.RpcServiceSharing;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.StageRuntime;
import petrichor.jobs.engine.StageWork;

/**
 * Jobs on a Flink cluster: one in this process, or one that is reached at the address of its
 * dispatcher. Safe for all threads.
 */
public final class FlinkRuntime implements StageRuntime, AutoCloseable {
    private static final String NETWORK_MEMORY = "64mb";
    private static final String MANAGED_MEMORY = "1mb";

    private final ClusterClient<?> client;
    private final List<Path> jars;
    private final Map<String, ResourceProfile> kinds;
    private final AutoCloseable cluster;

    private FlinkRuntime(
            ClusterClient<?> client,
            List<Path> jars,
            Map<String, ResourceProfile> kinds,
            AutoCloseable cluster) {
        this.client = client;
        this.jars = List.copyOf(jars);
        this.kinds = Map.copyOf(kinds);
        this.cluster = cluster;
    }

    /**
     * A cluster of its own in this process, for tests and small jobs.
     *
     * @param machines task managers
     * @param slots of each: how many subtasks of one task run there at the same time
     */
    public static FlinkRuntime inProcess(int machines, int slots) {
        Configuration configuration = new Configuration();
        long heap = Runtime.getRuntime().maxMemory() / 2;
        configuration.set(StageTask.SLOT_MEMORY_BYTES, heap / machines / slots);
        configuration.set(TaskManagerOptions.NUM_TASK_SLOTS, slots);
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.parse(MANAGED_MEMORY));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.parse(NETWORK_MEMORY));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.parse(NETWORK_MEMORY));
        configuration.set(RestOptions.BIND_PORT, "0");
        configuration.set(RestOptions.ADDRESS, "localhost");
        configuration.set(JobManagerOptions.SCHEDULER, JobManagerOptions.SchedulerType.Default);
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
            throw new PetrichorException(
                    ErrorCode.UNAVAILABLE, "Flink does not start: " + e, Map.of(), e);
        }
        return new FlinkRuntime(
                new MiniClusterClient(configuration, cluster), List.of(), Map.of(), cluster);
    }

    /** A cluster that runs already: the address of its REST endpoint. */
    public static FlinkRuntime at(String host, int port) {
        Configuration configuration = new Configuration();
        configuration.set(RestOptions.ADDRESS, host);
        configuration.set(RestOptions.PORT, port);
        try {
            return new FlinkRuntime(
                    new RestClusterClient<>(configuration, host + ":" + port),
                    List.of(),
                    Map.of(),
                    () -> {});
        } catch (Exception e) {
            throw new PetrichorException(
                    ErrorCode.UNAVAILABLE,
                    "cannot speak to Flink at " + host + ":" + port + ": " + e,
                    Map.of(),
                    e);
        }
    }

    /** With jars in which tasks find user code. The cluster stays that of this one. */
    public FlinkRuntime withJars(List<Path> newJars) {
        return new FlinkRuntime(client, newJars, kinds, cluster);
    }

    /**
     * A kind of machine that tasks may ask for, as what a slot there has. Tasks that ask for
     * another one, or for none, get a slot as the cluster cuts them.
     */
    public FlinkRuntime withKind(String name, double cores, int memoryMegabytes) {
        Map<String, ResourceProfile> more = new java.util.HashMap<>(kinds);
        more.put(
                name,
                ResourceProfile.newBuilder()
                        .setCpuCores(cores)
                        .setTaskHeapMemoryMB(memoryMegabytes)
                        .build());
        return new FlinkRuntime(client, jars, more, cluster);
    }

    @Override
    public Running start(StageWork work, Watch watch) {
        try {
            var graph = StageGraph.of(work, jars, kinds);
            return new StageOnFlink(client, client.submitJob(graph).get(), watch);
        } catch (ExecutionException e) {
            throw new PetrichorException(
                    ErrorCode.UNAVAILABLE,
                    "Flink does not take the job: " + e.getCause(),
                    Map.of(),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PetrichorException(ErrorCode.ABORTED, "the job was interrupted");
        }
    }

    @Override
    public void close() {
        client.close();
        try {
            cluster.close();
        } catch (Exception e) {
            throw new PetrichorException(
                    ErrorCode.UNAVAILABLE, "Flink does not end: " + e, Map.of(), e);
        }
    }
}
