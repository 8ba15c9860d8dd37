package petrichor.jobs.engine.exchange;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.ChannelCounters;
import petrichor.jobs.engine.memory.Block;
import petrichor.jobs.engine.memory.BlockPool;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.records.Record;

/** Collects records for one receiver into blocks. Belongs to the sending task. */
public final class ChannelWriter {
    private final Receiver receiver;
    private final int sender;
    private final BlockPool pool;
    private final TaskFigures figures;
    private final ChannelMeter meter;
    private @Nullable Block open;

    /** Where the open block is to end. */
    private int limit;

    private long shippedBytes;
    private long wireBytes;

    public ChannelWriter(
            Receiver receiver, int sender, BlockPool pool, TaskFigures figures, SubtaskId to) {
        this.receiver = receiver;
        this.sender = sender;
        this.pool = pool;
        this.figures = figures;
        this.meter = figures.channel(to);
    }

    public void write(Record record) {
        int bytes = record.bytes();
        Block block = open;
        if (block == null || limit - block.end < bytes) {
            block = next(bytes);
        }
        record.copyTo(block.array, block.end);
        block.end += bytes;
        block.records++;
    }

    private Block next(int bytes) {
        flush();
        Block block = pool.take(bytes);
        open = block;
        limit = (int) Math.min(block.capacity, (long) block.begin + receiver.blockBytes());
        return block;
    }

    /** Sends what is collected. */
    void flush() {
        Block block = open;
        if (block != null) {
            open = null;
            if (figures.on()) {
                measuredPut(block);
            } else {
                receiver.put(sender, block);
            }
        }
    }

    private void measuredPut(Block block) {
        // The block is the receiver's as soon as it is put.
        int bytes = block.length();
        figures.sent(block.records, bytes);
        meter.puts();
        long waited = receiver.put(sender, block);
        meter.hasPut();
        figures.waitedForReceiver(waited);
        ChannelCounters.Figures shipped = receiver.shipped();
        if (shipped != null) {
            figures.shipped(
                    shipped.rawBytes() - shippedBytes,
                    shipped.wireBytes() - wireBytes,
                    shipped.level().word());
            shippedBytes = shipped.rawBytes();
            wireBytes = shipped.wireBytes();
        }
        meter.sent(bytes, waited);
    }

    public void end() {
        flush();
        receiver.end(sender);
        meter.ended();
    }

    public boolean enough() {
        return receiver.hasEnough();
    }
}
