package petrichor.jobs.flink;

import java.nio.file.Path;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.apache.flink.runtime.resourcemanager.ResourceManagerRuntimeServicesConfiguration;
import org.apache.flink.runtime.resourcemanager.WorkerResourceSpec;
import org.apache.flink.runtime.resourcemanager.WorkerResourceSpecFactory;
import org.apache.flink.runtime.resourcemanager.active.ActiveResourceManagerFactory;
import org.apache.flink.runtime.resourcemanager.active.ResourceManagerDriver;
import org.apache.flink.util.ConfigurationException;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.leased.ClusterMachines;

/** Makes Flink's resource manager with our driver. All task managers are of the same size. */
final class LeasedResources extends ActiveResourceManagerFactory<LeasedWorker> {
    /** Flink's word for "not said": then what the number of slots makes. */
    private static final double CORES_AS_SLOTS = -1;

    @Override
    protected ResourceManagerDriver<LeasedWorker> createResourceManagerDriver(
            Configuration configuration, @Nullable String pages, String rpcAddress) {
        ClusterMachines machines =
                ClusterMachines.read(Path.of(configuration.get(LeasedCluster.MACHINES)));
        return new LeaseDriver(
                configuration, machines, TaskManagerAgent.of(machines, configuration));
    }

    @Override
    protected ResourceManagerRuntimeServicesConfiguration
            createResourceManagerRuntimeServicesConfiguration(Configuration configuration)
                    throws ConfigurationException {
        return ResourceManagerRuntimeServicesConfiguration.fromConfiguration(
                configuration, new OneSize());
    }

    private static final class OneSize extends WorkerResourceSpecFactory {
        @Override
        public WorkerResourceSpec createDefaultWorkerResourceSpec(Configuration configuration) {
            return workerResourceSpecFromConfigAndCpu(
                    configuration,
                    TaskExecutorProcessUtils.getCpuCoresWithFallback(
                            configuration, CORES_AS_SLOTS));
        }
    }
}
