package petrichor.jobs.flink;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.accumulators.ListAccumulator;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.io.network.api.writer.ResultPartitionWriter;
import org.apache.flink.runtime.jobgraph.IntermediateDataSetID;
import org.apache.flink.runtime.jobgraph.tasks.AbstractInvokable;
import org.apache.flink.runtime.taskmanager.TaskManagerRuntimeInfo;
import org.apache.flink.util.InstantiationUtil;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.channels.compression.FixedLevel;
import petrichor.jobs.channels.compression.Level;
import petrichor.jobs.channels.compression.LevelModel;
import petrichor.jobs.channels.compression.PipelineModel;
import petrichor.jobs.engine.hosted.HostedInput;
import petrichor.jobs.engine.hosted.HostedSubtask;
import petrichor.jobs.engine.hosted.StageWork;
import petrichor.jobs.engine.hosted.SubtaskHost;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskState;

/**
 * Hosts one of Petrichor's subtasks in a Flink task. Flink's thread runs the driver and its chain;
 * one thread per input brings in received data; one thread reports to the stage's coordinator.
 * Flink creates an instance for each attempt, by reflection.
 */
public final class StageTask extends AbstractInvokable {
    /**
     * A slot's memory for sorts, tables and buffers; 0 for its share of a part of the heap, if no
     * more slots are used than the stage needs.
     */
    static final ConfigOption<Long> SLOT_MEMORY_BYTES =
            ConfigOptions.key("petrichor.slot-memory-bytes").longType().defaultValue(0L);

    /**
     * A fixed compression level for data sent to other machines, such as {@code zstd-1}, for
     * measurements; by default each channel adapts its level.
     */
    static final ConfigOption<String> COMPRESSION =
            ConfigOptions.key("petrichor.compression").stringType().defaultValue("");

    /** Name of the accumulator with a task's results. */
    static final String LEFT = "petrichor.left";

    /** As in Petrichor's own engine; the rest is for channels and user code. */
    private static final double MEMORY_PART = 0.6;

    /** An interrupted reader ends at once, unless its machine is very busy. */
    private static final Duration READER_ENDS_MAX = Duration.ofSeconds(10);

    private volatile @Nullable HostedSubtask hosted;

    public StageTask(Environment environment) {
        super(environment);
    }

    @Override
    public void invoke() throws Exception {
        ClassLoader classes = JobClasses.over(getUserCodeClassLoader());
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(classes);
        try {
            invoke(classes);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private void invoke(ClassLoader classes) throws Exception {
        byte[] packed = getJobConfiguration().getBytes(StageGraph.WORK, new byte[0]);
        StageWork work = InstantiationUtil.deserializeObject(packed, classes);
        SubtaskId id =
                new SubtaskId(
                        getTaskConfiguration().get(StageGraph.VERTEX), getIndexInSubtaskGroup());
        TaskReports reports =
                new TaskReports(
                        id,
                        getEnvironment().getTaskInfo().getAttemptNumber(),
                        machine(getEnvironment()),
                        getEnvironment().getOperatorCoordinatorEventGateway());
        try {
            run(work, id, reports);
        } catch (PetrichorException failure) {
            throw TaskFailure.of(failure);
        } finally {
            reports.close();
        }
    }

    private void run(StageWork work, SubtaskId id, TaskReports reports) throws Exception {
        HostedSubtask subtask =
                HostedSubtask.open(work, id, slotMemoryBytes(work), tmp(), new Host(work, reports));
        hosted = subtask;
        List<Thread> readers = new ArrayList<>();
        try {
            reports.begin(subtask);
            readers.addAll(readers(work, id, subtask, reports));
            subtask.run();
            for (Thread reader : readers) {
                reader.join();
            }
            subtask.check();
            leave(subtask);
            reports.last();
        } catch (InterruptedException e) {
            subtask.stop(e);
            throw e;
        } finally {
            // The readers of a failed task wait for gates that Flink is about to close.
            readers.forEach(Thread::interrupt);
            if (ended(readers)) {
                subtask.close();
            }
        }
    }

    /** Whether no reader is running any more; resources may not be released while one uses them. */
    private static boolean ended(List<Thread> readers) {
        long until = System.nanoTime() + READER_ENDS_MAX.toNanos();
        boolean interrupted = false;
        for (Thread reader : readers) {
            while (reader.isAlive() && System.nanoTime() < until) {
                try {
                    reader.join(Duration.ofNanos(Math.max(1, until - System.nanoTime())));
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return readers.stream().noneMatch(Thread::isAlive);
    }

    /** An identifier shared by all tasks of one machine and by no others. */
    static String machine(Environment environment) {
        TaskManagerRuntimeInfo machine = environment.getTaskManagerInfo();
        return machine.getTaskManagerExternalAddress() + ":" + machine.getTmpWorkingDirectory();
    }

    private LevelModel levels() {
        String word = getEnvironment().getTaskManagerInfo().getConfiguration().get(COMPRESSION);
        return Level.ALL.stream()
                .filter(level -> level.displayName().equals(word))
                .findFirst()
                .<LevelModel>map(FixedLevel::new)
                .orElseGet(PipelineModel::forFile);
    }

    /** Gates are numbered as the inputs of the vertex: in the order of the stage's edges. */
    private List<Thread> readers(
            StageWork work, SubtaskId id, HostedSubtask subtask, TaskReports reports) {
        List<Thread> readers = new ArrayList<>();
        List<StageWork.Carried> inputs =
                work.edges().stream().filter(edge -> edge.to() == id.vertex()).toList();
        for (int i = 0; i < inputs.size(); i++) {
            HostedInput input = subtask.inputs().get(inputs.get(i).edge());
            if (input == null) {
                throw new IllegalStateException("unexpected: " + inputs.get(i));
            }
            GateReader reader = new GateReader(getEnvironment().getInputGate(i), input, subtask);
            reports.reads(inputs.get(i).edge(), reader);
            readers.add(
                    Thread.ofPlatform()
                            .name(Thread.currentThread().getName() + ", input " + i)
                            .daemon()
                            .start(reader));
        }
        return readers;
    }

    private void leave(HostedSubtask subtask) {
        ListAccumulator<StageMessage.Left> left = new ListAccumulator<>();
        left.add(
                new StageMessage.Left(
                        new java.util.TreeMap<>(subtask.measured()), subtask.spilledBytes()));
        getEnvironment().getAccumulatorRegistry().getUserMap().put(LEFT, left);
    }

    private static int subtasksMax(StageWork work) {
        return work.tasks().stream().mapToInt(JobVertex::parallelism).max().orElse(1);
    }

    private long slotMemoryBytes(StageWork work) {
        Configuration machine = getEnvironment().getTaskManagerInfo().getConfiguration();
        long given = machine.get(SLOT_MEMORY_BYTES);
        return given > 0
                ? given
                : (long)
                        (Runtime.getRuntime().maxMemory()
                                * MEMORY_PART
                                / Math.min(
                                        machine.get(TaskManagerOptions.NUM_TASK_SLOTS),
                                        subtasksMax(work)));
    }

    private Path tmp() {
        return Path.of(getEnvironment().getTaskManagerInfo().getTmpDirectories()[0]);
    }

    @Override
    public void cancel() {
        HostedSubtask running = hosted;
        if (running != null) {
            running.stop(PetrichorException.of(ErrorCode.ABORTED, "Flink cancelled the task"));
        }
    }

    /** What Flink provides to the subtask. */
    private final class Host implements SubtaskHost {
        private final Map<Integer, ResultPartitionWriter> partitions = new HashMap<>();
        private final TaskReports reports;

        Host(StageWork work, TaskReports reports) {
            this.reports = reports;
            Map<IntermediateDataSetID, Integer> edges = new HashMap<>();
            work.edges().forEach(edge -> edges.put(StageGraph.result(edge), edge.edge()));
            for (ResultPartitionWriter partition : getEnvironment().getAllWriters()) {
                Integer edge =
                        edges.get(
                                partition
                                        .getPartitionId()
                                        .getPartitionId()
                                        .getIntermediateDataSetID());
                if (edge == null) {
                    throw new IllegalStateException("a result without an edge: " + partition);
                }
                partitions.put(edge, partition);
            }
        }

        @Override
        public Output output(int edge, int receiver) {
            ResultPartitionWriter partition = partitions.get(edge);
            if (partition == null) {
                throw new IllegalStateException("no result for edge " + edge);
            }
            // A forward edge has one receiver, regardless of its number.
            int subpartition = partition.getNumberOfSubpartitions() == 1 ? 0 : receiver;
            PartitionOutput output =
                    new PartitionOutput(partition, subpartition, StageTask.this::levels);
            reports.leads(new StageMessage.Route(edge, receiver), output);
            return output;
        }

        @Override
        public void sample(int edge, List<byte[]> records) {
            reports.sample(edge, records);
        }

        @Override
        public void moved(SubtaskId subtask, TaskState to, @Nullable String why) {
            reports.moved(new StageMessage.Move(subtask, to, why));
        }
    }
}
