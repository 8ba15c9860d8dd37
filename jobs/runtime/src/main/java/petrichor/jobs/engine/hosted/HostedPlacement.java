package petrichor.jobs.engine.hosted;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.channels.BlockWriter;
import petrichor.jobs.channels.InputGate;
import petrichor.jobs.channels.SpillFolder;
import petrichor.jobs.channels.compression.PipelineModel;
import petrichor.jobs.engine.assembly.SubtaskPlacement;

/**
 * The placement of one subtask whose peers are all reached through the runtime. Belongs to the
 * subtask's thread.
 */
final class HostedPlacement implements SubtaskPlacement {
    private final int subtask;
    private final SubtaskHost host;
    private final BlockPool pool;
    private final SpillFolder files;
    private final Map<Integer, HostedInput> inputs = new HashMap<>();
    private final List<HostedOutput> outputs = new ArrayList<>();

    HostedPlacement(StageWork work, int subtask, SubtaskHost host, BlockPool pool) {
        this.subtask = subtask;
        this.host = host;
        this.pool = pool;
        this.files =
                SpillFolder.join(
                        Path.of(work.folder()), work.spillBytesMax(), pool, TimeSource.SYSTEM);
    }

    /**
     * By the edge's position in the graph, for each edge into this subtask that the runtime
     * transports.
     */
    Map<Integer, HostedInput> inputs() {
        return inputs;
    }

    @Override
    public boolean alone() {
        return false;
    }

    @Override
    public boolean sharesInputs() {
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
    public BlockWriter writer(ChannelId channel) {
        return switch (channel.type()) {
            case FILE -> files.named(channel.file()).writer(PipelineModel.forFile());
            case IN_MEMORY, NETWORK -> {
                HostedOutput output =
                        new HostedOutput(
                                host.output(channel.edge(), channel.receiver()),
                                channel.sender(),
                                pool);
                outputs.add(output);
                yield output;
            }
        };
    }

    /** Frees native memory, when no thread uses it any more. */
    void close() {
        outputs.forEach(HostedOutput::close);
    }

    @Override
    public void receive(ChannelId channel, int slot, InputGate gate) {
        switch (channel.type()) {
            case FILE -> gate.read(slot, files.written(channel.file()).reader());
            case IN_MEMORY, NETWORK ->
                    inputs.computeIfAbsent(channel.edge(), _ -> new HostedInput(gate, pool))
                            .expect(channel.sender(), slot);
        }
    }
}
