package petrichor.jobs.flink;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.clusterframework.ApplicationStatus;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessSpec;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.resourcemanager.active.AbstractResourceManagerDriver;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.cloud.leasing.Leased;
import petrichor.cloud.leasing.Need;
import petrichor.jobs.leased.ClusterMachines;

/**
 * Leases a machine for each task manager that Flink requests: of the type that its slots are for,
 * or the cheapest type with enough resources. A task manager that Flink releases is ended; its
 * machine is kept for the next one until the paid period ends. Machines that an earlier job manager
 * left leased are taken over, without their task managers: their jobs ended with it.
 *
 * <p>Called by Flink's main thread of the resource manager; events of machines are passed to Flink
 * on that thread, too.
 */
final class LeaseDriver extends AbstractResourceManagerDriver<LeasedWorker> {
    private final ClusterMachines machines;
    private final TaskManagerAgent agent;
    private @Nullable MachinePool pool;

    LeaseDriver(Configuration configuration, ClusterMachines machines, TaskManagerAgent agent) {
        super(configuration, configuration);
        this.machines = machines;
        this.agent = agent;
    }

    @Override
    protected void initializeInternal() {
        agent.begin();
        pool = MachinePool.open(machines, machines.cloud(agent::machine));
        getResourceEventHandler().onPreviousAttemptWorkersRecovered(List.of());
    }

    private MachinePool pool() {
        MachinePool open = pool;
        if (open == null) {
            throw new IllegalStateException("not started");
        }
        return open;
    }

    @Override
    public CompletableFuture<LeasedWorker> requestResource(TaskExecutorProcessSpec spec) {
        Candidate candidate = new Candidate(spec);
        candidate.began(pool().request(machine(spec), candidate));
        return candidate.future;
    }

    private static Need.Wish machine(TaskExecutorProcessSpec spec) {
        return MachineSlots.type(spec.getExtendedResources())
                .<Need.Wish>map(Need.Wish.Named::new)
                .orElseGet(
                        () ->
                                new Need.Wish.AtLeast(
                                        (int)
                                                Math.ceil(
                                                        spec.getCpuCores()
                                                                .getValue()
                                                                .doubleValue()),
                                        spec.getTotalProcessMemorySize().getBytes(),
                                        0));
    }

    @Override
    public void releaseResource(LeasedWorker manager) {
        agent.end(manager.request());
        pool().release(manager.request());
    }

    @Override
    public void terminate() {
        if (pool != null) {
            pool.close();
        }
    }

    @Override
    public void deregisterApplication(ApplicationStatus status, @Nullable String diagnostics) {
        // The leased machines are released when the driver ends.
    }

    /** A requested task manager: first a machine, then a process there. */
    private final class Candidate implements MachinePool.Tenant {
        private final TaskExecutorProcessSpec spec;
        private final ResourceID id = new ResourceID("leased-" + UUID.randomUUID());
        private final CompletableFuture<LeasedWorker> future = new CompletableFuture<>();
        private final CompletableFuture<MachinePool.Request> request = new CompletableFuture<>();
        private volatile boolean over;

        Candidate(TaskExecutorProcessSpec spec) {
            this.spec = spec;
        }

        /** Flink withdraws a request by cancelling its future. */
        void began(MachinePool.Request open) {
            request.complete(open);
            var _ =
                    future.whenComplete(
                            (_, _) -> {
                                LeaseFailures.over(this);
                                if (future.isCompletedExceptionally()) {
                                    over = true;
                                    pool().release(open);
                                }
                            });
        }

        @Override
        public void granted(Leased machine) {
            LeaseFailures.over(this);
            // Flink must know the task manager before it registers.
            getMainThreadExecutor()
                    .execute(
                            () -> {
                                MachinePool.Request open = request.join();
                                if (!over && future.complete(new LeasedWorker(id, open))) {
                                    agent.start(open, machine, id, spec);
                                }
                            });
        }

        @Override
        public void waits(String reason) {
            LeaseFailures.waits(this, reason);
        }

        @Override
        public void gaveUp(String reason) {
            getMainThreadExecutor()
                    .execute(
                            () ->
                                    future.completeExceptionally(
                                            PetrichorException.of(
                                                    ErrorCode.UNAVAILABLE,
                                                    "no machine for a task manager, {reason}",
                                                    "reason",
                                                    reason)));
        }

        @Override
        public void lost(String reason) {
            ended("its machine was lost: " + reason);
        }

        @Override
        public void poll() {
            if (!over && agent.hasEnded(request.join(), id)) {
                ended("its process ended");
            }
        }

        private void ended(String why) {
            over = true;
            LeaseFailures.over(this);
            agent.end(request.join());
            pool().release(request.join());
            getMainThreadExecutor()
                    .execute(() -> getResourceEventHandler().onWorkerTerminated(id, why));
        }
    }
}
