package petrichor.jobs.flink;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.flink.client.program.ClusterClient;
import org.apache.flink.client.program.rest.RestClusterClient;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.runtime.clusterframework.types.ResourceProfile;
import org.apache.flink.util.TemporaryClassLoaderContext;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.hosted.StageRuntime;
import petrichor.jobs.engine.hosted.StageWork;
import petrichor.jobs.jobgraph.JobGraph;

/**
 * Runs jobs on a Flink cluster: one in this process, or one that is reached at the address of its
 * dispatcher. Safe for all threads.
 */
public final class FlinkRuntime implements StageRuntime {
    private final ClusterClient<?> client;
    private final List<Path> jars;
    private final SlotKinds kinds;
    private final Runnable cluster;

    private FlinkRuntime(
            ClusterClient<?> client, List<Path> jars, SlotKinds kinds, Runnable cluster) {
        this.client = client;
        this.jars = List.copyOf(jars);
        this.kinds = kinds;
        this.cluster = cluster;
    }

    /**
     * Starts a cluster in this process, for tests and small jobs.
     *
     * @param machines number of task managers
     * @param slots of each: how many subtasks of one task run there concurrently
     */
    public static FlinkRuntime inProcess(int machines, int slots) {
        return of(OwnCluster.start(machines, slots));
    }

    static FlinkRuntime of(OwnCluster cluster) {
        return new FlinkRuntime(cluster.client(), List.of(), SlotKinds.NONE, cluster::close);
    }

    /** Connects to an existing cluster, by the address of its REST endpoint. */
    public static FlinkRuntime at(String host, int port) {
        Configuration configuration = new Configuration();
        configuration.set(RestOptions.ADDRESS, host);
        configuration.set(RestOptions.PORT, port);
        try {
            ClusterClient<?> client = new RestClusterClient<>(configuration, host + ":" + port);
            return new FlinkRuntime(client, List.of(), SlotKinds.NONE, client::close);
        } catch (Exception e) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    e,
                    "cannot connect to Flink at {host}:{port}: {reason}",
                    "host",
                    host,
                    "port",
                    port,
                    "reason",
                    e);
        }
    }

    /** Adds jars with user code for the tasks; the copy shares this one's cluster. */
    public FlinkRuntime withJars(List<Path> newJars) {
        return new FlinkRuntime(client, newJars, kinds, cluster);
    }

    /**
     * Defines a machine type for tasks that ask for it by name, by the resources of a slot there.
     * Tasks that ask for another type, or for none, get slots of the cluster's default size. A
     * cluster that leases machines defines its types itself: those that it leases.
     */
    public FlinkRuntime withKind(String name, double cores, int memoryMegabytes) {
        ResourceProfile slot =
                ResourceProfile.newBuilder()
                        .setCpuCores(cores)
                        .setTaskHeapMemoryMB(memoryMegabytes)
                        .build();
        return new FlinkRuntime(client, jars, kinds.with(name, slot), cluster);
    }

    @Override
    public JobGraph prepared(JobGraph graph) {
        try (var _ = TemporaryClassLoaderContext.of(FlinkRuntime.class.getClassLoader())) {
            return kinds(graph).prepared(graph);
        }
    }

    /** Asks the cluster each time, since it may have been restarted with another configuration. */
    private SlotKinds kinds(JobGraph graph) {
        boolean asks =
                graph.vertices().stream()
                        .anyMatch(task -> task.annotations().instanceType() != null);
        return asks ? LeasedTypes.of(client).map(SlotKinds::leased).orElse(kinds) : kinds;
    }

    @Override
    public Running start(StageWork work, Watch watch) {
        // Flink loads its components through the thread's context class loader.
        try (var _ = TemporaryClassLoaderContext.of(FlinkRuntime.class.getClassLoader())) {
            var graph = StageGraph.of(work, jars, kinds(work.graph()));
            return new StageOnFlink(client, client.submitJob(graph).get(), watch);
        } catch (ExecutionException e) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    e,
                    "Flink rejected the job: {cause}",
                    "cause",
                    e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw PetrichorException.of(ErrorCode.ABORTED, "the job was interrupted");
        }
    }

    @Override
    public void close() {
        cluster.run();
    }
}
