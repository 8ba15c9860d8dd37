package petrichor.jobs.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.apache.flink.runtime.clusterframework.types.ResourceProfile;
import org.junit.jupiter.api.Test;
import petrichor.jobs.engine.hosted.StageWork;
import petrichor.jobs.formats.CsvSink;
import petrichor.jobs.formats.CsvSource;
import petrichor.jobs.formats.Target;
import petrichor.jobs.formats.TextSource;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.leased.LeaseSetting;
import petrichor.jobs.pact.DataSet;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.pact.compiler.Compiler;
import petrichor.jobs.records.Aggregate;

/** The slot and the task manager that follow from a task's machine type. */
final class SlotKindsTest {
    private static final SlotKinds LEASED = SlotKinds.leased(List.of("small", "large"));

    /** Two concurrent sources: one names a type, the other does not. */
    @Test
    void aTaskWithoutATypeUsesTheTypeOfItsStage() {
        Plan plan = Plan.named("two");
        counted(plan.read(new TextSource("a")).onMachines("small"), "b");
        counted(plan.read(new TextSource("c")), "d");
        JobGraph graph =
                LEASED.prepared(Compiler.standard().compile(plan).parts().getFirst().graph());
        StageWork first = new StageWork(graph, 0, "folder", 1 << 20, false);
        assertThat(ExecutionGraph.of(graph).stages()).hasSize(1);
        assertThat(LEASED.of(first).values()).hasSizeGreaterThan(2).containsOnly("small");
        assertThat(SlotKinds.NONE.of(first).values()).contains("", "small");
    }

    private static void counted(DataSet lines, String to) {
        lines.groupBy("line")
                .aggregate(Aggregate.count())
                .write(new CsvSink(Target.file(to), new CsvSource.Dialect(',', false)));
    }

    @Test
    void aTaskManagerOnANamedTypeUsesTheWholeMachine() {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.TASK_HEAP_MEMORY, MemorySize.ofMebiBytes(100));
        configuration.set(TaskManagerOptions.NUM_TASK_SLOTS, 2);
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(1));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(64));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(64));
        configuration.set(TaskManagerOptions.JVM_OVERHEAD_MIN, MemorySize.ofMebiBytes(100));
        configuration.set(TaskManagerOptions.JVM_OVERHEAD_MAX, MemorySize.ofMebiBytes(100));
        configuration.set(StageTask.SLOT_MEMORY_BYTES, 10L << 20);
        // 128 + 128 for Flink itself, 1, 64, 256 for classes, 100.
        int beside = 677;
        var large =
                TaskManagerSize.on(
                                LeaseSetting.type("large", 4, beside + 800, "0.40"), configuration)
                        .orElseThrow();
        var spec = TaskExecutorProcessUtils.processSpecFromWorkerResourceSpec(configuration, large);
        assertThat(spec.getTotalProcessMemorySize())
                .isEqualTo(MemorySize.ofMebiBytes(beside + 800));
        assertThat(spec.getTaskHeapSize()).isEqualTo(MemorySize.ofMebiBytes(800));
        assertThat(spec.getNumSlots()).isEqualTo(4);
        assertThat(MachineSlots.type(spec.getExtendedResources())).contains("large");
        // A fifth of a slot's heap, as configured.
        assertThat(TaskManagerSize.slotMemoryBytes(spec, configuration)).isEqualTo(40L << 20);
        assertThat(
                        TaskManagerSize.on(
                                LeaseSetting.type("tiny", 1, beside + 63, "0.01"), configuration))
                .isEmpty();
        assertThat(MachineSlots.type(ResourceProfile.UNKNOWN)).isEmpty();
    }
}
