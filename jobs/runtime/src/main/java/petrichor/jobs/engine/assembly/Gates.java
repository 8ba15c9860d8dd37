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
 * The input gates of a job's subtasks, and each sender's slot at its gate. A scalable task has one
 * gate for all of its subtasks, and a {@link TaskMembership}. Belongs to the job's thread.
 */
final class Gates implements AutoCloseable {
    private final JobGraph graph;
    private final Fusion fusion;
    private final SubtaskPlacement placement;
    private final Workspace space;
    private final boolean profiled;
    private final Map<Integer, List<List<InputGate>>> gates = new HashMap<>();
    private final Map<Integer, TaskMembership> memberships = new HashMap<>();

    /**
     * @param scalable tasks whose parallelism may change
     * @param profiled whether to measure how long both sides of a gate wait
     */
    Gates(
            JobGraph graph,
            Fusion fusion,
            Set<Integer> scalable,
            SubtaskPlacement placement,
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

    /** One gate that all current subtasks share. */
    private List<List<InputGate>> sharedGates(JobVertex vertex) {
        List<InputGate> shared = new ArrayList<>();
        for (int input = 0; input < vertex.inputs().size(); input++) {
            shared.add(gate(vertex, input).shared());
        }
        InputGate gate = shared.isEmpty() ? null : shared.getFirst();
        memberships.put(vertex.id(), new TaskMembership(vertex.parallelism(), gate, profiled));
        return List.of(List.copyOf(shared));
    }

    /** A gate for every input of every subtask in this process. */
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

    /** The input gates of a subtask. */
    List<InputGate> of(JobVertex vertex, int subtask) {
        return ofVertex(vertex.id()).get(subtask);
    }

    /** Number of gates that an edge leads to. */
    int receivers(JobEdge edge) {
        return ofVertex(edge.to()).size();
    }

    /** One of the gates that an edge leads to. */
    InputGate at(JobEdge edge, int receiver) {
        return ofVertex(edge.to()).get(receiver).get(edge.input());
    }

    private List<List<InputGate>> ofVertex(int vertex) {
        return gates.getOrDefault(vertex, List.of());
    }

    /** The membership of a scalable task; null for others. */
    @Nullable TaskMembership membership(int vertex) {
        return memberships.get(vertex);
    }

    /** By task id. */
    Map<Integer, TaskMembership> memberships() {
        return memberships;
    }

    /** Attaches the channels whose senders do not hand over blocks within this process. */
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
                    SubtaskPlacement.ChannelId channel =
                            new SubtaskPlacement.ChannelId(
                                    edge.channel(), number, sender, receiver);
                    if (!placement.direct(channel)) {
                        placement.receive(channel, first + i, at(edge, receiver));
                    }
                }
            }
        }
    }

    /**
     * The slot of an edge's first sender at its gate; the edges of a union have consecutive slots.
     * An edge is identified by its position in the graph: a task that is united with itself has two
     * equal ones.
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

    /** Number of subtasks that send to one subtask over an edge. */
    private int senders(JobEdge edge) {
        return edge.shipping() instanceof Shipping.Forward
                ? 1
                : graph.vertex(edge.from()).parallelism();
    }

    /**
     * Number of a subtask's blocks that can be full at a time: queued ones, and one in processing.
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
