package petrichor.jobs.flink;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.blocklist.BlockedTaskManagerChecker;
import org.apache.flink.runtime.clusterframework.types.AllocationID;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.clusterframework.types.ResourceProfile;
import org.apache.flink.runtime.clusterframework.types.SlotID;
import org.apache.flink.runtime.instance.InstanceID;
import org.apache.flink.runtime.resourcemanager.ResourceManagerId;
import org.apache.flink.runtime.resourcemanager.registration.TaskExecutorConnection;
import org.apache.flink.runtime.resourcemanager.slotmanager.ResourceAllocator;
import org.apache.flink.runtime.resourcemanager.slotmanager.ResourceDeclaration;
import org.apache.flink.runtime.resourcemanager.slotmanager.ResourceEventListener;
import org.apache.flink.runtime.resourcemanager.slotmanager.SlotManager;
import org.apache.flink.runtime.rest.messages.taskmanager.SlotInfo;
import org.apache.flink.runtime.slots.ResourceRequirement;
import org.apache.flink.runtime.slots.ResourceRequirements;
import org.apache.flink.runtime.taskexecutor.SlotReport;

/**
 * A composite of Flink slot managers: one for each machine type, and one for requests without a
 * type. A Flink slot manager requests task managers of a single size; together they request all
 * sizes. The requirements of a job are divided among them, and a task manager belongs to the slot
 * manager of its type.
 *
 * <p>Called by Flink's main thread of the resource manager; other threads read its metrics.
 */
@SuppressWarnings("try") // closed by Flink, declares no exceptions
final class SlotManagerByType implements SlotManager {
    private final SlotManager any;
    private final Map<String, SlotManager> named;
    private final List<SlotManager> all;
    private final Map<InstanceID, SlotManager> owners = new ConcurrentHashMap<>();

    SlotManagerByType(SlotManager any, Map<String, SlotManager> named) {
        this.any = any;
        this.named = Map.copyOf(named);
        this.all = new ArrayList<>(named.values());
        this.all.addFirst(any);
    }

    /**
     * An unknown type goes to the slot manager without a type, which has no such resource and
     * reports that.
     */
    private SlotManager of(ResourceProfile slotOrMachine) {
        return MachineSlots.type(slotOrMachine)
                .map(type -> named.getOrDefault(type, any))
                .orElse(any);
    }

    private SlotManager owner(InstanceID machine) {
        return owners.getOrDefault(machine, any);
    }

    @Override
    public void start(
            ResourceManagerId leader,
            Executor mainThread,
            ResourceAllocator allocator,
            ResourceEventListener listener,
            BlockedTaskManagerChecker blocked) {
        Map<SlotManager, Collection<ResourceDeclaration>> declared = new LinkedHashMap<>();
        for (SlotManager each : all) {
            each.start(leader, mainThread, new Part(each, allocator, declared), listener, blocked);
        }
    }

    /**
     * Combines the requirements of one slot manager with those of the others, because Flink keeps
     * only the last declaration.
     */
    private record Part(
            SlotManager of,
            ResourceAllocator whole,
            Map<SlotManager, Collection<ResourceDeclaration>> declared)
            implements ResourceAllocator {
        @Override
        public boolean isSupported() {
            return whole.isSupported();
        }

        @Override
        public void cleaningUpDisconnectedResource(ResourceID machine) {
            whole.cleaningUpDisconnectedResource(machine);
        }

        @Override
        public void declareResourceNeeded(Collection<ResourceDeclaration> needed) {
            declared.put(of, List.copyOf(needed));
            whole.declareResourceNeeded(
                    declared.values().stream().flatMap(Collection::stream).toList());
        }
    }

    @Override
    public void suspend() {
        all.forEach(SlotManager::suspend);
        owners.clear();
    }

    @Override
    public void close() throws Exception {
        for (SlotManager each : all) {
            each.close();
        }
    }

    @Override
    public void clearResourceRequirements(JobID job) {
        all.forEach(each -> each.clearResourceRequirements(job));
    }

    @Override
    public void processResourceRequirements(ResourceRequirements needed) {
        Map<SlotManager, List<ResourceRequirement>> parts = new HashMap<>();
        for (ResourceRequirement each : needed.getResourceRequirements()) {
            parts.computeIfAbsent(of(each.getResourceProfile()), _ -> new ArrayList<>()).add(each);
        }
        for (SlotManager each : all) {
            each.processResourceRequirements(
                    ResourceRequirements.create(
                            needed.getJobId(),
                            needed.getApplicationId(),
                            needed.getTargetAddress(),
                            parts.getOrDefault(each, List.of())));
        }
    }

    @Override
    public RegistrationResult registerTaskManager(
            TaskExecutorConnection machine,
            SlotReport slots,
            ResourceProfile total,
            ResourceProfile usualSlot) {
        SlotManager of = of(total);
        owners.put(machine.getInstanceID(), of);
        return of.registerTaskManager(machine, slots, total, usualSlot);
    }

    @Override
    public boolean unregisterTaskManager(InstanceID machine, Exception cause) {
        boolean known = owner(machine).unregisterTaskManager(machine, cause);
        owners.remove(machine);
        return known;
    }

    @Override
    public boolean reportSlotStatus(InstanceID machine, SlotReport slots) {
        return owner(machine).reportSlotStatus(machine, slots);
    }

    /** Slot managers that do not know the slot ignore the call. */
    @Override
    public void freeSlot(SlotID slot, AllocationID allocation) {
        all.forEach(each -> each.freeSlot(slot, allocation));
    }

    @Override
    public void setFailUnfulfillableRequest(boolean fail) {
        all.forEach(each -> each.setFailUnfulfillableRequest(fail));
    }

    @Override
    public void triggerResourceRequirementsCheck() {
        all.forEach(SlotManager::triggerResourceRequirementsCheck);
    }

    private int sum(ToIntFunction<SlotManager> metric) {
        return all.stream().mapToInt(metric).sum();
    }

    private ResourceProfile merged(Function<SlotManager, ResourceProfile> metric) {
        return all.stream().map(metric).reduce(ResourceProfile.ZERO, ResourceProfile::merge);
    }

    @Override
    public int getNumberRegisteredSlots() {
        return sum(SlotManager::getNumberRegisteredSlots);
    }

    @Override
    public int getNumberFreeSlots() {
        return sum(SlotManager::getNumberFreeSlots);
    }

    @Override
    public ResourceProfile getRegisteredResource() {
        return merged(SlotManager::getRegisteredResource);
    }

    @Override
    public ResourceProfile getFreeResource() {
        return merged(SlotManager::getFreeResource);
    }

    @Override
    public int getAssignedTasksOf(InstanceID machine) {
        return owner(machine).getAssignedTasksOf(machine);
    }

    @Override
    public int getNumberRegisteredSlotsOf(InstanceID machine) {
        return owner(machine).getNumberRegisteredSlotsOf(machine);
    }

    @Override
    public int getNumberFreeSlotsOf(InstanceID machine) {
        return owner(machine).getNumberFreeSlotsOf(machine);
    }

    @Override
    public ResourceProfile getRegisteredResourceOf(InstanceID machine) {
        return owner(machine).getRegisteredResourceOf(machine);
    }

    @Override
    public ResourceProfile getFreeResourceOf(InstanceID machine) {
        return owner(machine).getFreeResourceOf(machine);
    }

    @Override
    public Collection<SlotInfo> getAllocatedSlotsOf(InstanceID machine) {
        return owner(machine).getAllocatedSlotsOf(machine);
    }
}
