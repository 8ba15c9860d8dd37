package petrichor.jobs.flink;

import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessSpec;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.apache.flink.runtime.resourcemanager.WorkerResourceSpec;
import org.apache.flink.runtime.resourcemanager.WorkerResourceSpecFactory;
import petrichor.cloud.InstanceType;

/**
 * Computes the size of task managers: as configured, on any machine that is large enough; or, on a
 * type that was requested by name, the whole machine, with a slot for each core.
 */
final class TaskManagerSize extends WorkerResourceSpecFactory {
    /** Flink's value for "not set": then the number of slots determines the cores. */
    private static final double CORES_AS_SLOTS = -1;

    /** Tasks do not run with less heap. */
    private static final int HEAP_MEGABYTES_MIN = 64;

    @Override
    public WorkerResourceSpec createDefaultWorkerResourceSpec(Configuration configuration) {
        return workerResourceSpecFromConfigAndCpu(
                configuration,
                TaskExecutorProcessUtils.getCpuCoresWithFallback(configuration, CORES_AS_SLOTS));
    }

    /**
     * Empty if its memory is too small. The memory outside the heap is the same on all machines.
     */
    static Optional<WorkerResourceSpec> on(InstanceType type, Configuration configuration) {
        WorkerResourceSpec any =
                new TaskManagerSize().createDefaultWorkerResourceSpec(configuration);
        long beside =
                TaskExecutorProcessUtils.processSpecFromWorkerResourceSpec(configuration, any)
                        .getTotalProcessMemorySize()
                        .subtract(any.getTaskHeapSize())
                        .getBytes();
        long heapMegabytes = (type.memoryBytes() - beside) >> 20;
        if (heapMegabytes < HEAP_MEGABYTES_MIN) {
            return Optional.empty();
        }
        return Optional.of(
                new WorkerResourceSpec.Builder()
                        .setCpuCores(type.cores())
                        .setNumSlots(type.cores())
                        .setTaskHeapMemoryMB(Math.toIntExact(heapMegabytes))
                        .setTaskOffHeapMemoryMB(any.getTaskOffHeapSize().getMebiBytes())
                        .setNetworkMemoryMB(any.getNetworkMemSize().getMebiBytes())
                        .setManagedMemoryMB(any.getManagedMemSize().getMebiBytes())
                        .setExtendedResource(MachineSlots.all(type))
                        .build());
    }

    /** Memory of each slot for sorts and tables: the configured fraction of the heap. */
    static long slotMemoryBytes(TaskExecutorProcessSpec spec, Configuration configuration) {
        double heap = configuration.get(TaskManagerOptions.TASK_HEAP_MEMORY).getBytes();
        double slotHeap = heap / configuration.get(TaskManagerOptions.NUM_TASK_SLOTS);
        double part = configuration.get(StageTask.SLOT_MEMORY_BYTES) / slotHeap;
        return (long) (part * spec.getTaskHeapSize().getBytes() / spec.getNumSlots());
    }
}
