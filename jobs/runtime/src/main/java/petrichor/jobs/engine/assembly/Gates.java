package petrichor.jobs.engine.assembly;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.InputGate;
import petrichor.jobs.engine.exchange.TaskMembership;
import petrichor.jobs.engine.memory.SpilledBlocks;
import petrichor.jobs.engine.memory.Workspace;
import petrichor.jobs.jobgraph.ChannelType;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Shipping;

/**
 * The gates in front of a job's subtasks, and at which place of a gate which sender stands. A task
 * whose subtasks may come and go has one for all of them, and a roster. Used by the job's own
 * thread.
 */
final class Gates implements AutoCloseable {
    private final JobGraph graph;
    private final Fusion fusion;
    private final Placement placement;
    private final Workspace space;
    private final boolean profiled;
    private final Map<Integer, List<List<InputGate>>> gates = new HashMap<>();
    private final Map<Integer, TaskMembership> rosters = new HashMap<>();

    /**
     * @param scalable tasks whose subtasks may come and go
     * @param profiled whether it is wanted to know how long both sides of a gate wait
     */
    Gates(
            JobGraph graph,
            Fusion fusion,
            Set<Integer> scalable,
            Placement placement,
            Workspace space,
            boolean profiled) {
        this.graph = graph;
        this.fusion = fusion;
        this.placement = placement;
        this.space = space;
        this.profiled = profiled;
        for (JobVertex vertex : graph.vertices()) {
            boolean shared = scalable.contains(vertex.id()) && !fusion.isFused(vertex);
            gates.put(vertex.id(), shared ? sharedGates(vertex) : gates(vertex));
        }
    }

    /** One gate for all subtasks, who are as many as there are at the time. */
    private List<List<InputGate>> sharedGates(JobVertex vertex) {
        List<InputGate> shared = new ArrayList<>();
        for (int input = 0; input < vertex.inputs().size(); input++) {
            shared.add(gate(vertex, input).shared());
        }
        InputGate gate = shared.isEmpty() ? null : shared.getFirst();
        rosters.put(vertex.id(), new TaskMembership(vertex.parallelism(), gate, profiled));
        return List.of(List.copyOf(shared));
    }

    /** A gate for every input of every subtask that is here. */
    private List<List<InputGate>> gates(JobVertex vertex) {
        List<List<InputGate>> ofSubtasks = new ArrayList<>();
        for (int i = 0; i < vertex.parallelism(); i++) {
            List<InputGate> ofInputs = new ArrayList<>();
            int inputs = placement.isHere(vertex.id(), i) ? vertex.inputs().size() : 0;
            for (int input = 0; input < inputs; input++) {
                ofInputs.add(gate(vertex, input));
            }
            ofSubtasks.add(List.copyOf(ofInputs));
        }
        return List.copyOf(ofSubtasks);
    }

    private InputGate gate(JobVertex vertex, int input) {
        int senders = 0;
        boolean elastic =
                Elasticity.needed(graph, vertex, input)
                        || (placement.sharesInputs()
                                && vertex.inputs().get(input).order() instanceof InputOrder.Merged);
        for (JobEdge edge : graph.incoming(vertex.id(), input)) {
            senders += senders(edge);
            elastic |= placement.alone() && edge.channel() == ChannelType.FILE;
        }
        return new InputGate(
                senders,
                elastic ? () -> new SpilledBlocks(space) : null,
                space.control(),
                space.pool(),
                profiled);
    }

    /** The inputs of a subtask of its own. */
    List<InputGate> of(JobVertex vertex, int subtask) {
        return ofVertex(vertex.id()).get(subtask);
    }

    /** How many gates there are behind an edge. */
    int receivers(JobEdge edge) {
        return ofVertex(edge.to()).size();
    }

    /** One of those behind an edge. */
    InputGate at(JobEdge edge, int receiver) {
        return ofVertex(edge.to()).get(receiver).get(edge.input());
    }

    private List<List<InputGate>> ofVertex(int vertex) {
        return gates.getOrDefault(vertex, List.of());
    }

    /** Of a task whose subtasks may come and go; null for others. */
    @Nullable TaskMembership roster(int vertex) {
        return rosters.get(vertex);
    }

    /** By the id of the task. */
    Map<Integer, TaskMembership> rosters() {
        return rosters;
    }

    /** Lets what is not handed over by a subtask of this process arrive at a task's gates. */
    void receive(JobVertex vertex) {
        for (int number = 0; number < graph.edges().size(); number++) {
            JobEdge edge = graph.edges().get(number);
            if (edge.to() != vertex.id()) {
                continue;
            }
            int first = firstSender(number);
            boolean forward = edge.shipping() instanceof Shipping.Forward;
            int senders = senders(edge);
            for (int receiver = 0; receiver < receivers(edge); receiver++) {
                for (int i = 0; i < senders && placement.isHere(vertex.id(), receiver); i++) {
                    int sender = forward ? receiver : i;
                    Placement.ChannelId channel =
                            new Placement.ChannelId(edge.channel(), number, sender, receiver);
                    if (!placement.direct(channel)) {
                        placement.receive(channel, first + i, at(edge, receiver));
                    }
                }
            }
        }
    }

    /**
     * The number of an edge's first sender at its gate; the edges of a union stand in a row. Edges
     * are known by their place in the graph: a task that is united with itself has two that are
     * equal.
     */
    int firstSender(int number) {
        JobEdge edge = graph.edges().get(number);
        int sender = 0;
        for (JobEdge other : graph.edges().subList(0, number)) {
            if (other.to() == edge.to() && other.input() == edge.input()) {
                sender += senders(other);
            }
        }
        return sender;
    }

    /** How many subtasks send to one subtask over an edge. */
    private int senders(JobEdge edge) {
        return edge.shipping() instanceof Shipping.Forward
                ? 1
                : graph.vertex(edge.from()).parallelism();
    }

    /**
     * How many blocks a subtask may have filled at a time that nobody has taken, and one in work.
     */
    long blocksOfSubtask(JobVertex vertex) {
        long blocks = 1;
        for (JobEdge edge : graph.outgoing(vertex.id())) {
            JobVertex to = graph.vertex(edge.to());
            boolean forward = edge.shipping() instanceof Shipping.Forward;
            int receivers = forward ? 1 : receivers(edge);
            blocks +=
                    fusion.isFused(to)
                            ? blocksOfSubtask(to) - 1
                            : receivers * InputGate.BLOCKS_OF_SENDER;
        }
        return blocks;
    }

    @Override
    public void close() {
        for (List<List<InputGate>> ofVertex : gates.values()) {
            for (List<InputGate> ofSubtask : ofVertex) {
                ofSubtask.forEach(InputGate::close);
            }
        }
    }
}
