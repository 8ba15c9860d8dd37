package petrichor.jobs.engine.hosted;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.BlockEncoder;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.channels.BlockWriter;
import petrichor.jobs.channels.ChannelCounters;
import petrichor.jobs.channels.FrameDecoder;
import petrichor.jobs.channels.compression.FixedLevel;
import petrichor.jobs.channels.compression.Level;

/**
 * A channel to a subtask through the runtime that hosts both: a stream of frames. A block is
 * compressed only if its receiver is known to be on another machine. Belongs to one thread.
 */
final class HostedOutput implements BlockWriter {
    private final SubtaskHost.Output output;
    private final int number;
    private final BlockPool pool;
    private final ChannelCounters counters = new ChannelCounters();
    private final BlockEncoder plain;
    private @Nullable BlockEncoder packing;
    private long frames;

    /**
     * @param number of the sending subtask
     */
    HostedOutput(SubtaskHost.Output output, int number, BlockPool pool) {
        this.output = output;
        this.number = number;
        this.pool = pool;
        this.plain = new BlockEncoder(new FixedLevel(Level.NONE), number, TimeSource.SYSTEM);
    }

    @Override
    public void write(Block block) {
        if (!output.isCancelled()) {
            boolean away = output.away();
            BlockEncoder encoder = away ? packing() : plain;
            for (int at = block.begin; at < block.end; ) {
                at += encoder.encode(block, at);
                long started = System.nanoTime();
                counters.waited(
                        output.write(
                                ByteBuffer.wrap(
                                        encoder.array(), encoder.from(), encoder.length())));
                frames++;
                if (away) {
                    long took = System.nanoTime() - started;
                    // Compression cannot reduce the wait that the receiver's own slowness causes.
                    long receivers = (long) (took * output.receiverBusy());
                    encoder.sent(receivers, took - receivers);
                    counters.block(encoder.rawBytes(), encoder.storedBytes(), encoder.level());
                }
            }
            output.flush();
        }
        pool.give(block);
    }

    private BlockEncoder packing() {
        BlockEncoder encoder = packing;
        if (encoder == null) {
            encoder = new BlockEncoder(output.levels(), number, TimeSource.SYSTEM);
            packing = encoder;
        }
        return encoder;
    }

    @Override
    public void end() {
        output.write(FrameDecoder.end(number, frames));
        output.flush();
    }

    /** The runtime sees it as the failure of the task. */
    @Override
    public void fail(String reason) {
        close();
    }

    /** Statistics of compression and back-pressure. */
    @Override
    public ChannelCounters counters() {
        return counters;
    }

    @Override
    public boolean isCancelled() {
        return output.isCancelled();
    }

    /** Called by the sending thread, or after it has ended. */
    @Override
    public void close() {
        plain.close();
        if (packing != null) {
            packing.close();
        }
    }
}
