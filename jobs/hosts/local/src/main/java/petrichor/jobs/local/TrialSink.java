package petrichor.jobs.local;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.records.RecordType;

/** Writes everything, and aborts at the end: for a job that is only measured. */
record TrialSink(Sink sink) implements Sink {
    /**
     * The same graph, with its results discarded. Records kept between parts of a plan are not
     * results.
     */
    static JobGraph trial(JobGraph graph) {
        List<JobVertex> vertices =
                graph.vertices().stream()
                        .map(
                                vertex ->
                                        vertex.operation() instanceof Operation.Write(var sink)
                                                        && !(sink instanceof IntermediateSink)
                                                ? trial(vertex, sink)
                                                : vertex)
                        .toList();
        return new JobGraph(graph.name(), vertices, graph.edges());
    }

    private static JobVertex trial(JobVertex vertex, Sink sink) {
        return new JobVertex(
                vertex.id(),
                vertex.name(),
                new Operation.Write(new TrialSink(sink)),
                vertex.inputs(),
                vertex.chain(),
                vertex.output(),
                vertex.annotations());
    }

    @Override
    public String name() {
        return sink.name();
    }

    @Override
    public void check(RecordType type) {
        sink.check(type);
    }

    @Override
    public @Nullable RecordSize recordSize(RecordType type) {
        return sink.recordSize(type);
    }

    @Override
    public void begin(RecordType type, int subtasks) throws IOException {
        sink.begin(type, subtasks);
    }

    @Override
    public Writer open(RecordType type, int subtask) throws IOException {
        return sink.open(type, subtask);
    }

    @Override
    public void commit(int subtasks) throws IOException {
        sink.abort(subtasks);
    }

    @Override
    public void abort(int subtasks) throws IOException {
        sink.abort(subtasks);
    }
}
