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
 * One stage of a job, as another runtime is asked to carry it: which tasks it has to start, and
 * which of them it has to connect. Data only; it travels to wherever the tasks run.
 *
 * @param stage its number in the job
 * @param folder where stages leave files for later ones: the same for all tasks of the job
 * @param spillBytesMax what each task may put there, and beside it
 */
public record StageWork(
        JobGraph graph, int stage, String folder, long spillBytesMax, boolean profiled)
        implements Serializable {

    /**
     * An edge that the runtime carries. What goes through files, and what happens inside one task,
     * it does not see.
     *
     * @param edge its place in the graph
     * @param from a task of this stage; behind it, in its chain, the edge may begin
     * @param to a task of this stage
     * @param forward from each subtask to the one with its number only, else from each to all
     */
    public record Carried(int edge, int from, int to, boolean forward) {}

    /** The tasks that the runtime starts; the others are a part of one of these. */
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

    /** Where the ranges of an edge are cut, when all of its senders have given a sample. */
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
