package petrichor.jobs.engine.assembly;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Sink;

/**
 * Finds the edges whose senders can compute the file offset of each receiver's part: the receivers
 * sort their input and pass it unchanged to a sink whose record sizes are known. Stateless.
 */
final class PlacedParts {
    private PlacedParts() {}

    /** The size of a record of this edge in the sink's file; null if senders do not count. */
    static Sink.@Nullable RecordSize recordSize(JobGraph graph, JobEdge edge) {
        JobVertex sorting = graph.vertex(edge.to());
        if (sorting.parallelism() == 1
                || sorting.inputs().size() != 1
                || !(sorting.inputs().getFirst().order() instanceof InputOrder.Sorted)
                || !graph.incoming(sorting.id()).stream().allMatch(PlacedParts::partitions)) {
            return null;
        }
        Sink sink = sink(graph, sorting);
        return sink == null ? null : sink.recordSize(sorting.inputType(0));
    }

    private static boolean partitions(JobEdge edge) {
        return edge.shipping() instanceof Shipping.RangePartition
                || edge.shipping() instanceof Shipping.HashPartition;
    }

    /** The sink to which a task passes its records unchanged, in the same thread or in others. */
    private static @Nullable Sink sink(JobGraph graph, JobVertex sorting) {
        if (!sorting.chain().isEmpty()) {
            return null;
        }
        if (sorting.operation() instanceof Operation.Write(var sink)) {
            return sink;
        }
        List<JobEdge> outgoing = graph.outgoing(sorting.id());
        if (!(sorting.operation() instanceof Operation.Relay) || outgoing.size() != 1) {
            return null;
        }
        JobVertex next = graph.vertex(outgoing.getFirst().to());
        return outgoing.getFirst().shipping() instanceof Shipping.Forward
                        && next.operation() instanceof Operation.Write(var sink)
                        && next.inputs().getFirst().order() instanceof InputOrder.AsTheyCome
                ? sink
                : null;
    }
}
