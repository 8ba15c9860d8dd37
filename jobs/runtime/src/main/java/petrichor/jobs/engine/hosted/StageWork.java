package petrichor.jobs.engine.hosted;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import petrichor.jobs.engine.assembly.Fusion;
import petrichor.jobs.engine.exchange.RangeCuts;
import petrichor.jobs.jobgraph.ChannelType;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Shipping;

/**
 * One stage of a job, as submitted to another runtime: the tasks to start, and the edges to
 * transport. Pure data, serialized to the tasks.
 *
 * @param stage its number in the job
 * @param folder holds the files between stages: the same for all tasks of the job
 * @param spillBytesMax limit of each task for those files, and again for spilled data
 */
public record StageWork(
        JobGraph graph, int stage, String folder, long spillBytesMax, boolean profiled)
        implements Serializable {

    /**
     * An edge that the runtime transports. It sees neither file channels nor edges within a task.
     *
     * @param edge its position in the graph
     * @param from a task of this stage; the edge may start further down its chain
     * @param to a task of this stage
     * @param forward from each subtask to the one with its number only, else from each to all
     */
    public record Carried(int edge, int from, int to, boolean forward) {}

    /** The tasks that the runtime starts; the others are fused into one of these. */
    public List<JobVertex> tasks() {
        Fusion fusion = new Fusion(graph);
        return ExecutionGraph.of(graph).stages().get(stage).vertices().stream()
                .map(graph::vertex)
                .filter(vertex -> !fusion.isFused(vertex))
                .toList();
    }

    public List<Carried> edges() {
        Fusion fusion = new Fusion(graph);
        List<Integer> inStage = ExecutionGraph.of(graph).stages().get(stage).vertices();
        List<Carried> carried = new ArrayList<>();
        for (int i = 0; i < graph.edges().size(); i++) {
            JobEdge edge = graph.edges().get(i);
            if (edge.channel() != ChannelType.FILE
                    && inStage.contains(edge.to())
                    && !fusion.isFused(graph.vertex(edge.to()))) {
                carried.add(
                        new Carried(
                                i,
                                carrier(fusion, graph.vertex(edge.from())).id(),
                                edge.to(),
                                edge.shipping() instanceof Shipping.Forward));
            }
        }
        return carried;
    }

    private JobVertex carrier(Fusion fusion, JobVertex vertex) {
        JobVertex carrier = vertex;
        while (fusion.isFused(carrier)) {
            carrier = graph.vertex(graph.incoming(carrier.id()).getFirst().from());
        }
        return carrier;
    }

    /** The splitters of an edge, once all of its senders have contributed to the sample. */
    public List<byte[]> cuts(int edge, List<byte[]> sample) {
        JobEdge cut = graph.edges().get(edge);
        if (!(cut.shipping() instanceof Shipping.RangePartition(var key, var _))) {
            throw new IllegalStateException("invalid ranges: " + cut);
        }
        return RangeCuts.even(
                sample,
                graph.vertex(cut.to()).parallelism(),
                key,
                graph.vertex(cut.from()).outputType());
    }
}
