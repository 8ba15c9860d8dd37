package petrichor.jobs.leased;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import petrichor.jobs.jobgraph.ChannelType;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.records.Aggregation;

/** Where a job is split into stages, in addition to where its plan requires it. */
public enum StageCut {
    /** Only there. */
    PLAN,
    /** Where the machine type changes. */
    MACHINES,
    /**
     * Also after blocking operators (sort, hash build), which produce no output before they have
     * read all of an input. The machines of the consumers are leased then, those of the producers
     * are released. A forward channel does not end a stage: its consumer runs on the same machine.
     */
    BLOCKING,
    /** Also at every exchange of records between subtasks, as in MapReduce. */
    EXCHANGES;

    /** The former name of {@link #BLOCKING}, in options and in files of jobs. */
    public static final String FORMER_BLOCKING = "dams";

    /** The same graph with more file channels. */
    public JobGraph of(JobGraph graph) {
        if (this == PLAN) {
            return graph;
        }
        Map<Integer, String> types = MachineTypes.of(graph);
        Map<Integer, Integer> stages = new HashMap<>();
        Set<Integer> late = new HashSet<>();
        for (JobVertex vertex : graph.inOrder()) {
            int stage = 0;
            for (JobEdge edge : graph.incoming(vertex.id())) {
                int before = stages.getOrDefault(edge.from(), 0);
                stage = Math.max(stage, cuts(edge, types, late) ? before + 1 : before);
            }
            stages.put(vertex.id(), stage);
            if (isBlocking(vertex)
                    || onlyFollows(graph.incoming(vertex.id()), stages, stage, late)) {
                late.add(vertex.id());
            }
        }
        List<JobEdge> edges = new ArrayList<>();
        for (JobEdge edge : graph.edges()) {
            // An edge between stages must be a file, or the two could not run at different times.
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

    /**
     * @param late tasks without output for a while after their stage has started
     */
    private boolean cuts(JobEdge edge, Map<Integer, String> types, Set<Integer> late) {
        boolean exchange = !(edge.shipping() instanceof Shipping.Forward);
        return edge.channel() == ChannelType.FILE
                || !Objects.equals(types.get(edge.from()), types.get(edge.to()))
                || (this == EXCHANGES && exchange)
                || (this == BLOCKING && exchange && late.contains(edge.from()));
    }

    /** Whether a task produces no output before it has read all of one input. */
    private static boolean isBlocking(JobVertex vertex) {
        return vertex.inputs().stream().anyMatch(input -> keepsAll(input.order()))
                || keepsAll(vertex.operation());
    }

    private static boolean keepsAll(InputOrder order) {
        return switch (order) {
            case InputOrder.Sorted _, InputOrder.Buffered _ -> true;
            case InputOrder.AsTheyCome _, InputOrder.Merged _ -> false;
        };
    }

    private static boolean keepsAll(Operation operation) {
        return switch (operation) {
            case Operation.HashJoin _, Operation.Cross _ -> true;
            // Partial aggregates are emitted as soon as memory does not suffice.
            case Operation.HashAggregate aggregate -> aggregate.step() != Aggregation.Step.PARTIAL;
            case Operation.Read _,
                    Operation.Write _,
                    Operation.Relay _,
                    Operation.SortedReduce _,
                    Operation.SortedAggregate _,
                    Operation.MergeJoin _,
                    Operation.CoGroup _ ->
                    false;
        };
    }

    /** Whether all inputs of a task arrive late, from tasks of its own stage. */
    private static boolean onlyFollows(
            List<JobEdge> incoming, Map<Integer, Integer> stages, int stage, Set<Integer> late) {
        return !incoming.isEmpty()
                && incoming.stream()
                        .allMatch(
                                edge ->
                                        late.contains(edge.from())
                                                && Objects.equals(stages.get(edge.from()), stage));
    }
}
