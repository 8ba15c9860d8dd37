package petrichor.jobs.engine;

import java.util.ArrayList;
import java.util.List;
import petrichor.jobs.jobgraph.Annotations;
import petrichor.jobs.jobgraph.ChannelType;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.jobgraph.TaskInput;
import petrichor.jobs.records.RecordType;

/** Builds a job graph by hand. */
public final class TestGraph {
    private final String name;
    private final List<JobVertex> vertices = new ArrayList<>();
    private final List<JobEdge> edges = new ArrayList<>();

    public TestGraph(String name) {
        this.name = name;
    }

    /** How an input is shipped. */
    public record In(JobVertex from, Shipping shipping, InputOrder order) {
        public static In of(JobVertex from, Shipping shipping) {
            return new In(from, shipping, InputOrder.asTheyCome());
        }
    }

    public JobVertex add(
            String task, Operation operation, int parallelism, List<In> ins, Step... chain) {
        List<TaskInput> inputs =
                ins.stream().map(in -> new TaskInput(in.from().outputType(), in.order())).toList();
        RecordType type = operation.output(inputs.stream().map(TaskInput::type).toList());
        for (Step step : chain) {
            type = type == null ? null : step.output(type);
        }
        int id = vertices.size();
        JobVertex vertex =
                new JobVertex(
                        id,
                        task,
                        operation,
                        inputs,
                        List.of(chain),
                        type,
                        Annotations.parallel(parallelism));
        vertices.add(vertex);
        for (int i = 0; i < ins.size(); i++) {
            edges.add(
                    new JobEdge(
                            ins.get(i).from().id(),
                            id,
                            i,
                            ins.get(i).shipping(),
                            ChannelType.IN_MEMORY));
        }
        return vertex;
    }

    /** Adds an edge to an input that already has one: a union. */
    void union(JobVertex from, JobVertex to, int input, Shipping shipping) {
        edges.add(new JobEdge(from.id(), to.id(), input, shipping, ChannelType.IN_MEMORY));
    }

    /** Turns the edges between two tasks into file channels. */
    public void inFiles(JobVertex from, JobVertex to) {
        edges.replaceAll(
                e ->
                        e.from() == from.id() && e.to() == to.id()
                                ? new JobEdge(
                                        e.from(), e.to(), e.input(), e.shipping(), ChannelType.FILE)
                                : e);
    }

    public JobVertex read(List<Rows.Row> rows, int parallelism, Step... chain) {
        return add(
                "read " + vertices.size(),
                new Operation.Read(Rows.source(rows)),
                parallelism,
                List.of(),
                chain);
    }

    public Collected collect(JobVertex from) {
        Collected collected = new Collected();
        add(
                "collect",
                new Operation.Write(collected),
                from.parallelism(),
                List.of(In.of(from, new Shipping.Forward())));
        return collected;
    }

    public JobGraph graph() {
        return new JobGraph(name, vertices, edges);
    }
}
