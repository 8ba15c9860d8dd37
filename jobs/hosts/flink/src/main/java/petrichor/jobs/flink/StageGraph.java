package petrichor.jobs.flink;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.runtime.io.network.partition.ResultPartitionType;
import org.apache.flink.runtime.jobgraph.DistributionPattern;
import org.apache.flink.runtime.jobgraph.IntermediateDataSetID;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobGraphBuilder;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobmanager.scheduler.SlotSharingGroup;
import org.apache.flink.util.InstantiationUtil;
import org.apache.flink.util.SerializedValue;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.hosted.StageWork;
import petrichor.jobs.jobgraph.JobVertex;

/**
 * Translates a stage to a Flink job graph: a vertex for each task, a pipelined result for each
 * edge. Tasks with the same machine type share slots. Stateless.
 */
final class StageGraph {
    static final ConfigOption<Integer> VERTEX =
            ConfigOptions.key("petrichor.vertex").intType().noDefaultValue();

    /** Configuration key of the Flink job under which the stage is stored. */
    static final String WORK = "petrichor.stage";

    /** The same number of attempts as with worker processes. */
    private static final int RESTARTS_MAX = 2;

    private static final Duration RESTART_DELAY = Duration.ofMillis(200);

    private StageGraph() {}

    /**
     * @param jars with user code for the tasks
     * @param kinds the slot profiles of tasks
     */
    static JobGraph of(StageWork work, List<Path> jars, SlotKinds kinds) {
        byte[] packed = packed(work);
        Map<Integer, org.apache.flink.runtime.jobgraph.JobVertex> vertices = new HashMap<>();
        Map<Integer, String> kindOf = kinds.of(work);
        Map<String, SlotSharingGroup> groups = new HashMap<>();
        JobGraphBuilder builder = JobGraphBuilder.newBatchJobGraphBuilder();
        for (JobVertex task : work.tasks()) {
            var vertex =
                    new org.apache.flink.runtime.jobgraph.JobVertex(
                            task.name(), new JobVertexID(task.id(), work.stage()));
            vertex.setInvokableClass(StageTask.class);
            vertex.setParallelism(task.parallelism());
            vertex.setMaxParallelism(task.parallelism());
            vertex.getConfiguration().set(VERTEX, task.id());
            vertex.setSlotSharingGroup(
                    groups.computeIfAbsent(
                            kindOf.getOrDefault(task.id(), ""), kind -> group(kind, kinds)));
            if (vertices.isEmpty()) {
                vertex.addOperatorCoordinator(serialized(new StageCoordinator.Provider(packed)));
            }
            vertices.put(task.id(), vertex);
            builder.addJobVertex(vertex);
        }
        for (StageWork.Carried edge : work.edges()) {
            connect(edge, vertices);
        }
        Configuration configuration = new Configuration();
        configuration.setBytes(WORK, packed);
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        configuration.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, RESTARTS_MAX);
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, RESTART_DELAY);
        JobGraph graph =
                builder.setJobName(work.graph().name() + ", stage " + (work.stage() + 1))
                        .setJobConfiguration(configuration)
                        .build();
        graph.setInitialClientHeartbeatTimeout(StageOnFlink.CLIENT_SILENCE_MAX.toMillis());
        jars.forEach(jar -> graph.addJar(new org.apache.flink.core.fs.Path(uri(jar))));
        return graph;
    }

    private static URI uri(Path jar) {
        return jar.toAbsolutePath().toUri();
    }

    /** Id of an edge's result, from its position in Petrichor's graph. */
    static IntermediateDataSetID result(StageWork.Carried edge) {
        return new IntermediateDataSetID(new JobVertexID(edge.from(), 0), edge.edge());
    }

    private static void connect(
            StageWork.Carried edge,
            Map<Integer, org.apache.flink.runtime.jobgraph.JobVertex> vertices) {
        var from = vertices.get(edge.from());
        var to = vertices.get(edge.to());
        if (from == null || to == null) {
            throw new IllegalStateException("no task of this stage: " + edge);
        }
        to.connectNewDataSetAsInput(
                from,
                edge.forward() ? DistributionPattern.POINTWISE : DistributionPattern.ALL_TO_ALL,
                ResultPartitionType.PIPELINED_BOUNDED,
                result(edge),
                false,
                edge.forward());
    }

    private static SlotSharingGroup group(String kind, SlotKinds kinds) {
        SlotSharingGroup group = new SlotSharingGroup();
        kinds.slot(kind).ifPresent(group::setResourceProfile);
        return group;
    }

    private static byte[] packed(StageWork work) {
        try {
            return InstantiationUtil.serializeObject(work);
        } catch (IOException e) {
            throw PetrichorException.invalid(
                    "the job \"{name}\" cannot be sent to Flink: {reason}; objects captured by its"
                            + " functions must be serializable",
                    "name",
                    work.graph().name(),
                    "reason",
                    e);
        }
    }

    private static <T> SerializedValue<T> serialized(T value) {
        try {
            return new SerializedValue<>(value);
        } catch (IOException e) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL, "cannot be serialized: {reason}", "reason", e);
        }
    }
}
