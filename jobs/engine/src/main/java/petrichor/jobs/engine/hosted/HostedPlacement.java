package petrichor.jobs.engine.hosted;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.SpillFolder;
import petrichor.jobs.channels.compression.PipelineModel;
import petrichor.jobs.engine.assembly.Placement;
import petrichor.jobs.engine.exchange.ChannelInlet;
import petrichor.jobs.engine.exchange.ChannelReceiver;
import petrichor.jobs.engine.exchange.InputGate;
import petrichor.jobs.engine.exchange.Receiver;
import petrichor.jobs.engine.memory.BlockPool;
import petrichor.jobs.engine.memory.JobControl;
import petrichor.jobs.jobgraph.JobVertex;

/** One subtask, alone with the runtime that carries it. Belongs to the subtask's thread. */
final class HostedPlacement implements Placement {
    /** What the blocks of files in both directions need, and a few that are on their way. */
    private static final int FILE_BLOCKS = 8;

    private final int subtask;
    private final SubtaskHost host;
    private final BlockPool pool;
    private final JobControl control;
    private final petrichor.jobs.channels.BlockPool fileBlocks =
            new petrichor.jobs.channels.BlockPool(FILE_BLOCKS);
    private final SpillFolder files;
    private final Map<Integer, HostedInlet> inlets = new HashMap<>();
    private final List<HostedReceiver> receivers = new ArrayList<>();

    HostedPlacement(
            StageWork work, int subtask, SubtaskHost host, BlockPool pool, JobControl control) {
        this.subtask = subtask;
        this.host = host;
        this.pool = pool;
        this.control = control;
        this.files =
                SpillFolder.join(
                        Path.of(work.folder()),
                        work.spillBytesMax(),
                        fileBlocks,
                        TimeSource.SYSTEM);
    }

    /** By the place of the edge in the graph; for each edge that the runtime carries to us. */
    Map<Integer, HostedInlet> inlets() {
        return inlets;
    }

    @Override
    public boolean alone() {
        return false;
    }

    @Override
    public boolean sharesInlets() {
        return true;
    }

    @Override
    public boolean isHere(int vertex, int number) {
        return number == subtask;
    }

    @Override
    public boolean direct(ChannelId channel) {
        return false;
    }

    @Override
    public Receiver way(ChannelId channel) {
        return switch (channel.type()) {
            case FILE ->
                    new ChannelReceiver(
                            files.named(channel.file()).writer(PipelineModel.forFile()),
                            fileBlocks);
            case IN_MEMORY, NETWORK -> {
                HostedReceiver receiver =
                        new HostedReceiver(
                                host.outlet(channel.edge(), channel.receiver()),
                                channel.sender(),
                                pool,
                                fileBlocks);
                receivers.add(receiver);
                yield receiver;
            }
        };
    }

    /** Gives native memory back, when no thread works any more. */
    void close() {
        receivers.forEach(HostedReceiver::close);
        inlets.values().forEach(HostedInlet::close);
    }

    @Override
    public void receive(ChannelId channel, int slot, InputGate gate) {
        switch (channel.type()) {
            case FILE ->
                    Thread.ofVirtual()
                            .name("inlet of edge " + channel.edge())
                            .start(
                                    new ChannelInlet(
                                            files.written(channel.file()).reader(),
                                            gate,
                                            slot,
                                            pool,
                                            control));
            case IN_MEMORY, NETWORK ->
                    inlets.computeIfAbsent(channel.edge(), _ -> new HostedInlet(gate, pool))
                            .expect(channel.sender(), slot);
        }
    }

    @Override
    public <S> List<S> splits(List<S> all, JobVertex vertex, int number) {
        List<S> mine = new ArrayList<>();
        for (int i = number; i < all.size(); i += vertex.parallelism()) {
            mine.add(all.get(i));
        }
        return mine;
    }
}
