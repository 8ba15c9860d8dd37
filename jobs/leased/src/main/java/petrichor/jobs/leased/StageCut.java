package petrichor.jobs.leased;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import petrichor.jobs.jobgraph.ChannelType;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Shipping;

/** Where a job is cut into stages, beside where its plan already needs it. */
public enum StageCut {
    /** Nowhere else. */
    PLAN,
    /** Where the kind of machine changes. */
    MACHINES,
    /** Also wherever records change from subtask to subtask, as MapReduce does. */
    EXCHANGES;

    /** The same graph with more files. */
    JobGraph of(JobGraph graph) {
        if (this == PLAN) {
            return graph;
        }
        Map<Integer, String> types = MachinePlan.types(graph);
        Map<Integer, Integer> stages = new HashMap<>();
        for (JobVertex vertex : graph.inOrder()) {
            int stage = 0;
            for (JobEdge edge : graph.incoming(vertex.id())) {
                int before = stages.getOrDefault(edge.from(), 0);
                stage = Math.max(stage, cuts(edge, types) ? before + 1 : before);
            }
            stages.put(vertex.id(), stage);
        }
        List<JobEdge> edges = new ArrayList<>();
        for (JobEdge edge : graph.edges()) {
            // Whatever leads from one stage to another is a file, or the two could not be apart.
            boolean apart = !Objects.equals(stages.get(edge.from()), stages.get(edge.to()));
            edges.add(
                    apart
                            ? new JobEdge(
                                    edge.from(),
                                    edge.to(),
                                    edge.input(),
                                    edge.shipping(),
                                    ChannelType.FILE)
                            : edge);
        }
        return new JobGraph(graph.name(), graph.vertices(), edges);
    }

    private boolean cuts(JobEdge edge, Map<Integer, String> types) {
        boolean exchange = !(edge.shipping() instanceof Shipping.Forward);
        return edge.channel() == ChannelType.FILE
                || !Objects.equals(types.get(edge.from()), types.get(edge.to()))
                || (this == EXCHANGES && exchange);
    }
}
