package petrichor.jobs.engine.workers;

import java.net.InetSocketAddress;
import java.util.List;
import petrichor.jobs.channels.BlockWriter;
import petrichor.jobs.channels.Exchange;
import petrichor.jobs.channels.InputGate;
import petrichor.jobs.channels.SpillFolder;
import petrichor.jobs.channels.compression.PipelineModel;
import petrichor.jobs.engine.assembly.SubtaskPlacement;
import petrichor.jobs.jobgraph.ChannelType;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;

/** The placement of a job's subtasks, as seen from one of its worker processes. */
final class WorkerPlacement implements SubtaskPlacement {
    /**
     * Parallelism is below 2^10; an edge's number and two subtask numbers make a channel's number.
     */
    private static final int SUBTASK_BITS = 12;

    private final int worker;
    private final List<InetSocketAddress> addresses;
    private final SlotAssignment slots;
    private final JobGraph graph;
    private final Exchange exchange;
    private final SpillFolder files;

    WorkerPlacement(
            int worker,
            List<InetSocketAddress> addresses,
            SlotAssignment slots,
            JobGraph graph,
            Exchange exchange,
            SpillFolder files) {
        this.worker = worker;
        this.addresses = List.copyOf(addresses);
        this.slots = slots;
        this.graph = graph;
        this.exchange = exchange;
        this.files = files;
    }

    @Override
    public boolean alone() {
        return false;
    }

    @Override
    public boolean isHere(int vertex, int subtask) {
        return slots.worker(vertex, subtask) == worker;
    }

    @Override
    public boolean direct(ChannelId channel) {
        JobEdge edge = graph.edges().get(channel.edge());
        return channel.type() != ChannelType.FILE
                && isHere(edge.from(), channel.sender())
                && isHere(edge.to(), channel.receiver());
    }

    @Override
    public BlockWriter writer(ChannelId channel) {
        return switch (channel.type()) {
            case FILE -> files.named(channel.file()).writer(PipelineModel.forFile());
            case IN_MEMORY, NETWORK ->
                    exchange.writer(number(channel), receiver(channel), PipelineModel.forNetwork());
        };
    }

    @Override
    public void receive(ChannelId channel, int slot, InputGate gate) {
        switch (channel.type()) {
            case FILE -> gate.read(slot, files.written(channel.file()).reader());
            case IN_MEMORY, NETWORK -> exchange.receive(number(channel), gate, slot);
        }
    }

    private InetSocketAddress receiver(ChannelId channel) {
        int vertex = graph.edges().get(channel.edge()).to();
        return addresses.get(slots.worker(vertex, channel.receiver()));
    }

    private static long number(ChannelId channel) {
        return ((long) channel.edge() << SUBTASK_BITS | channel.sender()) << SUBTASK_BITS
                | channel.receiver();
    }
}
