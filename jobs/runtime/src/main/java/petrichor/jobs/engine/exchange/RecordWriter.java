package petrichor.jobs.engine.exchange;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.channels.BlockWriter;
import petrichor.jobs.channels.ChannelCounters;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.records.RecordView;

/** Collects records for one receiver in blocks. Belongs to the sending task. */
public final class RecordWriter {
    private final BlockWriter channel;
    private final BlockPool pool;
    private final TaskMetrics metrics;
    private final ChannelMeter meter;
    private final Sink.@Nullable RecordSize recordSize;
    private @Nullable Block open;

    /** End of the usable part of the open block. */
    private int limit;

    private long shippedBytes;
    private long wireBytes;

    /**
     * Bytes that the receiver will write for the records sent to it, if {@link #recordSize} is
     * known.
     */
    private long partBytes;

    /**
     * @param recordSize of the sink for which the receiver sorts; null if its size is not needed or
     *     unknown
     */
    public RecordWriter(
            BlockWriter channel,
            BlockPool pool,
            TaskMetrics metrics,
            SubtaskId to,
            Sink.@Nullable RecordSize recordSize) {
        this.channel = channel;
        this.pool = pool;
        this.metrics = metrics;
        this.meter = metrics.channel(to);
        this.recordSize = recordSize;
    }

    public void write(RecordView record) {
        int bytes = record.bytes();
        Block block = open;
        if (block == null || limit - block.end < bytes) {
            block = next(bytes);
        }
        record.copyTo(block.array, block.end);
        block.end += bytes;
        block.records++;
        if (recordSize != null) {
            partBytes += recordSize.bytes(record);
        }
    }

    private Block next(int bytes) {
        flush();
        Block block = pool.take(bytes);
        open = block;
        limit = (int) Math.min(block.capacity, (long) block.begin + channel.blockBytes());
        return block;
    }

    /** Sends the open block. */
    void flush() {
        Block block = open;
        if (block != null) {
            open = null;
            if (metrics.on()) {
                measuredPut(block);
            } else {
                channel.write(block);
            }
        }
    }

    private void measuredPut(Block block) {
        // The channel owns the block as soon as it is written.
        int bytes = block.length();
        metrics.sent(block.records, bytes);
        meter.puts();
        ChannelCounters counters = channel.counters();
        long before = counters.waitNanos();
        channel.write(block);
        long waited = counters.waitNanos() - before;
        meter.hasPut();
        metrics.waitedForReceiver(waited);
        if (!channel.isLocal()) {
            ship(counters.metrics());
        }
        meter.sent(bytes, waited);
    }

    private void ship(ChannelCounters.Totals shipped) {
        if (shipped.rawBytes() > shippedBytes) {
            metrics.shipped(
                    shipped.rawBytes() - shippedBytes,
                    shipped.wireBytes() - wireBytes,
                    shipped.level().displayName());
            shippedBytes = shipped.rawBytes();
            wireBytes = shipped.wireBytes();
        }
    }

    /** Ends all channels of a subtask over an edge. */
    public static void endAll(RecordWriter[] writers) {
        long[] sizes = Arrays.stream(writers).mapToLong(each -> each.partBytes).toArray();
        for (RecordWriter writer : writers) {
            writer.end(sizes);
        }
    }

    private void end(long[] sizes) {
        flush();
        if (recordSize != null) {
            channel.write(PartSizes.encode(sizes, pool));
        }
        channel.end();
        channel.close();
        meter.ended();
    }

    public boolean isDone() {
        return channel.isCancelled();
    }
}
