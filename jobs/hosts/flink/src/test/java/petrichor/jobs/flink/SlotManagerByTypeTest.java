package petrichor.jobs.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.ApplicationID;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.clusterframework.types.ResourceProfile;
import org.apache.flink.runtime.instance.InstanceID;
import org.apache.flink.runtime.resourcemanager.ResourceManagerId;
import org.apache.flink.runtime.resourcemanager.WorkerResourceSpec;
import org.apache.flink.runtime.resourcemanager.registration.TaskExecutorConnection;
import org.apache.flink.runtime.resourcemanager.slotmanager.ResourceAllocator;
import org.apache.flink.runtime.resourcemanager.slotmanager.ResourceDeclaration;
import org.apache.flink.runtime.resourcemanager.slotmanager.SlotManager;
import org.apache.flink.runtime.slots.ResourceRequirement;
import org.apache.flink.runtime.slots.ResourceRequirements;
import org.apache.flink.runtime.taskexecutor.SlotReport;
import org.apache.flink.runtime.taskexecutor.TaskExecutorGateway;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Dispatch to the slot managers, and the combination of their requirements. */
final class SlotManagerByTypeTest {
    private static final String SMALL = "small";
    private static final String LARGE = "large";
    private static final String ANY = "";

    /** A slot manager that records its calls. */
    private static final class Told {
        private ResourceAllocator allocator = new LastWord();
        private List<ResourceRequirement> needed = List.of();
        private final List<InstanceID> machines = new ArrayList<>();

        private final SlotManager manager =
                (SlotManager)
                        Proxy.newProxyInstance(
                                SlotManager.class.getClassLoader(),
                                new Class<?>[] {SlotManager.class},
                                (self, method, arguments) ->
                                        switch (method.getName()) {
                                            case "start" -> {
                                                allocator = (ResourceAllocator) arguments[2];
                                                yield null;
                                            }
                                            case "processResourceRequirements" -> {
                                                var all = (ResourceRequirements) arguments[0];
                                                needed = List.copyOf(all.getResourceRequirements());
                                                yield null;
                                            }
                                            case "registerTaskManager" -> {
                                                var machine = (TaskExecutorConnection) arguments[0];
                                                machines.add(machine.getInstanceID());
                                                yield SlotManager.RegistrationResult.SUCCESS;
                                            }
                                            case "unregisterTaskManager" ->
                                                    machines.remove((InstanceID) arguments[0]);
                                            case "hashCode" -> System.identityHashCode(self);
                                            case String other -> throw new AssertionError(other);
                                        });
    }

    /** Keeps only the last declaration, like the resource manager. */
    private static final class LastWord implements ResourceAllocator {
        private Collection<ResourceDeclaration> declared = List.of();

        @Override
        public boolean isSupported() {
            return true;
        }

        @Override
        public void cleaningUpDisconnectedResource(ResourceID machine) {}

        @Override
        public void declareResourceNeeded(Collection<ResourceDeclaration> needed) {
            declared = needed;
        }
    }

    private final Map<String, Told> told = new HashMap<>();
    private final LastWord lastWord = new LastWord();
    private SlotManagerByType manager;

    @BeforeEach
    void start() {
        for (String type : List.of(ANY, SMALL, LARGE)) {
            told.put(type, new Told());
        }
        manager =
                new SlotManagerByType(
                        told(ANY).manager,
                        Map.of(SMALL, told(SMALL).manager, LARGE, told(LARGE).manager));
        manager.start(
                ResourceManagerId.generate(), Runnable::run, lastWord, (_, _) -> {}, _ -> false);
    }

    private Told told(String type) {
        return Objects.requireNonNull(told.get(type));
    }

    @Test
    void oneDeclarationDoesNotReplaceAnother() {
        ResourceDeclaration small = declaration(2);
        ResourceDeclaration large = declaration(1);
        told(SMALL).allocator.declareResourceNeeded(List.of(small));
        told(LARGE).allocator.declareResourceNeeded(List.of(large));
        assertThat(lastWord.declared).containsExactlyInAnyOrder(small, large);
        told(SMALL).allocator.declareResourceNeeded(List.of());
        assertThat(lastWord.declared).containsExactly(large);
    }

    private static ResourceDeclaration declaration(int count) {
        return new ResourceDeclaration(
                new WorkerResourceSpec.Builder().setCpuCores(count).build(), count, List.of());
    }

    @Test
    void requirementsAreDividedByTypeAndClearedWhenNotNeeded() {
        JobID job = new JobID();
        ResourceRequirement small = ResourceRequirement.create(MachineSlots.on(SMALL), 3);
        ResourceRequirement large = ResourceRequirement.create(MachineSlots.on(LARGE), 1);
        ResourceRequirement any = ResourceRequirement.create(ResourceProfile.UNKNOWN, 2);
        needs(job, small, any, large);
        assertThat(told(SMALL).needed).containsExactly(small);
        assertThat(told(LARGE).needed).containsExactly(large);
        assertThat(told(ANY).needed).containsExactly(any);
        needs(job, large);
        assertThat(told(SMALL).needed).isEmpty();
        assertThat(told(LARGE).needed).containsExactly(large);
        assertThat(told(ANY).needed).isEmpty();
    }

    private void needs(JobID job, ResourceRequirement... needed) {
        manager.processResourceRequirements(
                ResourceRequirements.create(
                        job, new ApplicationID(), "job manager", List.of(needed)));
    }

    @Test
    void aTaskManagerBelongsToTheSlotManagerOfItsType() {
        TaskExecutorConnection machine = registered(MachineSlots.on(LARGE));
        TaskExecutorConnection other = registered(ResourceProfile.UNKNOWN);
        assertThat(told(LARGE).machines).containsExactly(machine.getInstanceID());
        assertThat(told(ANY).machines).containsExactly(other.getInstanceID());
        assertThat(told(SMALL).machines).isEmpty();
        assertThat(manager.unregisterTaskManager(machine.getInstanceID(), new Exception("gone")))
                .isTrue();
        assertThat(told(LARGE).machines).isEmpty();
        assertThat(told(ANY).machines).containsExactly(other.getInstanceID());
    }

    /** The proxy of its gateway is never called. */
    private TaskExecutorConnection registered(ResourceProfile total) {
        var gateway =
                (TaskExecutorGateway)
                        Proxy.newProxyInstance(
                                SlotManager.class.getClassLoader(),
                                new Class<?>[] {TaskExecutorGateway.class},
                                (_, method, _) -> {
                                    throw new AssertionError(method.getName());
                                });
        var machine = new TaskExecutorConnection(ResourceID.generate(), gateway);
        manager.registerTaskManager(machine, new SlotReport(), total, ResourceProfile.ANY);
        return machine;
    }
}
