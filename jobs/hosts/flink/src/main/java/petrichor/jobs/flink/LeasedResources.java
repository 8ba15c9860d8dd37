package petrichor.jobs.flink;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.entrypoint.ClusterInformation;
import org.apache.flink.runtime.heartbeat.HeartbeatServices;
import org.apache.flink.runtime.metrics.groups.ResourceManagerMetricGroup;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.resourcemanager.ResourceManager;
import org.apache.flink.runtime.resourcemanager.ResourceManagerRuntimeServices;
import org.apache.flink.runtime.resourcemanager.ResourceManagerRuntimeServicesConfiguration;
import org.apache.flink.runtime.resourcemanager.WorkerResourceSpec;
import org.apache.flink.runtime.resourcemanager.active.ActiveResourceManagerFactory;
import org.apache.flink.runtime.resourcemanager.active.ResourceManagerDriver;
import org.apache.flink.runtime.resourcemanager.slotmanager.DefaultResourceAllocationStrategy;
import org.apache.flink.runtime.resourcemanager.slotmanager.DefaultResourceTracker;
import org.apache.flink.runtime.resourcemanager.slotmanager.DefaultSlotStatusSyncer;
import org.apache.flink.runtime.resourcemanager.slotmanager.FineGrainedSlotManager;
import org.apache.flink.runtime.resourcemanager.slotmanager.FineGrainedTaskManagerTracker;
import org.apache.flink.runtime.resourcemanager.slotmanager.SlotManager;
import org.apache.flink.runtime.resourcemanager.slotmanager.SlotManagerConfiguration;
import org.apache.flink.runtime.resourcemanager.slotmanager.SlotManagerUtils;
import org.apache.flink.runtime.rpc.FatalErrorHandler;
import org.apache.flink.runtime.rpc.RpcService;
import org.apache.flink.runtime.security.token.DelegationTokenManager;
import org.apache.flink.util.ConfigurationException;
import org.apache.flink.util.concurrent.ScheduledExecutor;
import org.jspecify.annotations.Nullable;
import petrichor.cloud.InstanceType;
import petrichor.jobs.leased.ClusterMachines;

/**
 * Creates Flink's resource manager with {@link LeaseDriver}, and with slots on each machine type.
 */
final class LeasedResources extends ActiveResourceManagerFactory<LeasedWorker> {
    @Override
    protected ResourceManagerDriver<LeasedWorker> createResourceManagerDriver(
            Configuration configuration, @Nullable String pages, String rpcAddress) {
        ClusterMachines machines = machines(configuration);
        return new LeaseDriver(
                configuration, machines, TaskManagerAgent.of(machines, configuration));
    }

    private static ClusterMachines machines(Configuration configuration) {
        return ClusterMachines.read(Path.of(configuration.get(LeasedCluster.MACHINES)));
    }

    @Override
    protected ResourceManagerRuntimeServicesConfiguration
            createResourceManagerRuntimeServicesConfiguration(Configuration configuration)
                    throws ConfigurationException {
        return ResourceManagerRuntimeServicesConfiguration.fromConfiguration(
                configuration, new TaskManagerSize());
    }

    @Override
    public ResourceManager<LeasedWorker> createResourceManager(
            Configuration configuration,
            ResourceID id,
            RpcService rpc,
            UUID leader,
            HeartbeatServices heartbeats,
            DelegationTokenManager tokens,
            FatalErrorHandler fatal,
            ClusterInformation cluster,
            @Nullable String pages,
            ResourceManagerMetricGroup metrics,
            ResourceManagerRuntimeServices services,
            Executor io)
            throws Exception {
        Map<String, SlotManager> named = new LinkedHashMap<>();
        for (InstanceType type : machines(configuration).setting().types()) {
            var size = TaskManagerSize.on(type, configuration);
            if (size.isPresent()) {
                named.put(type.name(), slots(size.get(), new Configuration(configuration), rpc));
            }
        }
        return super.createResourceManager(
                configuration,
                id,
                rpc,
                leader,
                heartbeats,
                tokens,
                fatal,
                cluster,
                pages,
                metrics,
                new ResourceManagerRuntimeServices(
                        new SlotManagerByType(services.getSlotManager(), named),
                        services.getJobLeaderIdService()),
                io);
    }

    /** As in Flink's own factory. */
    private static SlotManager slots(
            WorkerResourceSpec size, Configuration configuration, RpcService rpc)
            throws ConfigurationException {
        configuration.set(TaskManagerOptions.NUM_TASK_SLOTS, size.getNumSlots());
        SlotManagerConfiguration limits =
                SlotManagerConfiguration.fromConfiguration(configuration, size);
        ScheduledExecutor timer = rpc.getScheduledExecutor();
        return new FineGrainedSlotManager(
                timer,
                limits,
                UnregisteredMetricGroups.createUnregisteredSlotManagerMetricGroup(),
                new DefaultResourceTracker(),
                new FineGrainedTaskManagerTracker(),
                new DefaultSlotStatusSyncer(limits.getTaskManagerRequestTimeout()),
                new DefaultResourceAllocationStrategy(
                        SlotManagerUtils.generateTaskManagerTotalResourceProfile(size),
                        limits.getNumSlotsPerWorker(),
                        limits.getTaskManagerLoadBalanceMode(),
                        limits.getTaskManagerTimeout(),
                        limits.getRedundantTaskManagerNum(),
                        limits.getMinTotalCpu(),
                        limits.getMinTotalMem()));
    }
}
