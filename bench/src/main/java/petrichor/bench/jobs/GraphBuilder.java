package petrichor.bench.jobs;

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

/** Builds a job graph by hand, like the compiler. */
public final class GraphBuilder {
    private final String name;
    private final List<JobVertex> vertices = new ArrayList<>();
    private final List<JobEdge> edges = new ArrayList<>();

    public GraphBuilder(String name) {
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

    public JobGraph graph() {
        return new JobGraph(name, vertices, edges);
    }
}
