package petrichor.jobs.engine.workers;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import petrichor.jobs.channels.BlockReader;
import petrichor.jobs.channels.Exchange;
import petrichor.jobs.channels.SpillFolder;
import petrichor.jobs.channels.compression.PipelineModel;
import petrichor.jobs.engine.assembly.Placement;
import petrichor.jobs.engine.exchange.ChannelInlet;
import petrichor.jobs.engine.exchange.ChannelReceiver;
import petrichor.jobs.engine.exchange.InputGate;
import petrichor.jobs.engine.exchange.Receiver;
import petrichor.jobs.engine.memory.BlockPool;
import petrichor.jobs.engine.memory.JobControl;
import petrichor.jobs.jobgraph.ChannelType;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;

/** Where the subtasks of a job are, seen from one of its worker processes. */
final class WorkerPlacement implements Placement {
    /** Parallelism is below 2^10; an edge's number and two subtasks make a channel's number. */
    private static final int SUBTASK_BITS = 12;

    private final int worker;
    private final List<InetSocketAddress> addresses;
    private final SlotAssignment slots;
    private final JobGraph graph;
    private final Exchange exchange;
    private final SpillFolder files;
    private final BlockPool pool;
    private final JobControl control;

    WorkerPlacement(
            int worker,
            List<InetSocketAddress> addresses,
            SlotAssignment slots,
            JobGraph graph,
            Exchange exchange,
            SpillFolder files,
            BlockPool pool,
            JobControl control) {
        this.worker = worker;
        this.addresses = List.copyOf(addresses);
        this.slots = slots;
        this.graph = graph;
        this.exchange = exchange;
        this.files = files;
        this.pool = pool;
        this.control = control;
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
    public Receiver way(ChannelId channel) {
        return new ChannelReceiver(
                switch (channel.type()) {
                    case FILE -> files.named(channel.file()).writer(PipelineModel.forFile());
                    case IN_MEMORY, NETWORK ->
                            exchange.writer(
                                    number(channel), receiver(channel), PipelineModel.forNetwork());
                },
                exchange.pool());
    }

    @Override
    public void receive(ChannelId channel, int slot, InputGate gate) {
        BlockReader reader =
                switch (channel.type()) {
                    case FILE -> files.written(channel.file()).reader();
                    case IN_MEMORY, NETWORK -> exchange.reader(number(channel));
                };
        Thread.ofVirtual()
                .name("inlet of edge " + channel.edge())
                .start(new ChannelInlet(reader, gate, slot, pool, control));
    }

    @Override
    public <S> List<S> splits(List<S> all, JobVertex vertex, int subtask) {
        List<S> mine = new ArrayList<>();
        for (int i = subtask; i < all.size(); i += vertex.parallelism()) {
            mine.add(all.get(i));
        }
        return mine;
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
