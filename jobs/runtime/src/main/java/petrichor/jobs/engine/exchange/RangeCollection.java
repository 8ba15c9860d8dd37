package petrichor.jobs.engine.exchange;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.RecordType;

/**
 * Combines the samples of all senders of an edge and computes even splitters. Safe for all threads.
 */
public final class RangeCollection implements RangeSample.Collector {
    private final Key key;
    private final RecordType type;
    private final int ranges;
    private final Consumer<List<byte[]>> known;
    private final List<byte[]> sample = new ArrayList<>();
    private int missing;

    RangeCollection(
            Key key, RecordType type, int senders, int ranges, Consumer<List<byte[]>> known) {
        this.key = key;
        this.type = type;
        this.ranges = ranges;
        this.missing = senders;
        this.known = known;
    }

    /**
     * For an edge of a graph whose ranges are sampled.
     *
     * @param known receives the splitters, once
     */
    public static RangeCollection of(JobGraph graph, JobEdge edge, Consumer<List<byte[]>> known) {
        if (!(edge.shipping() instanceof Shipping.RangePartition(var key, var _))) {
            throw new IllegalStateException("invalid ranges: " + edge);
        }
        JobVertex from = graph.vertex(edge.from());
        return new RangeCollection(
                key,
                from.outputType(),
                from.parallelism(),
                graph.vertex(edge.to()).parallelism(),
                known);
    }

    @Override
    public void take(List<byte[]> records) {
        synchronized (sample) {
            sample.addAll(records);
            if (--missing == 0) {
                known.accept(RangeCuts.even(sample, ranges, key, type));
            }
        }
    }
}
