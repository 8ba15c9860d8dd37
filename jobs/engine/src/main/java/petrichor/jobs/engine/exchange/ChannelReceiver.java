package petrichor.jobs.engine.exchange;

import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.channels.BlockWriter;
import petrichor.jobs.channels.ChannelCounters;
import petrichor.jobs.engine.memory.Block;
import petrichor.jobs.records.Words;

/**
 * The way to a subtask in another process, or through a file: an engine's block becomes one block
 * of such a channel, or several if a record in it is larger than those. Each begins with how many
 * records and bytes the whole has. Belongs to one thread.
 */
public final class ChannelReceiver implements Receiver {
    /** int32 records, int32 bytes of the whole. */
    static final int HEAD_BYTES = 8;

    private final BlockWriter writer;
    private final BlockPool pool;
    private boolean enough;
    private long waitedNanos;

    public ChannelReceiver(BlockWriter writer, BlockPool pool) {
        this.writer = writer;
        this.pool = pool;
    }

    @Override
    public long put(int sender, Block block) {
        int room = petrichor.jobs.channels.Block.BYTES_MAX - HEAD_BYTES;
        for (int at = 0; at < block.length() && !enough; at += room) {
            int some = Math.min(room, block.length() - at);
            petrichor.jobs.channels.Block part = pool.take();
            Words.int32(part.bytes(), 0, block.records);
            Words.int32(part.bytes(), 4, block.length());
            System.arraycopy(block.array, block.begin + at, part.bytes(), HEAD_BYTES, some);
            part.length(HEAD_BYTES + some);
            enough = writer.write(part) == BlockWriter.Outcome.ENOUGH;
        }
        long before = waitedNanos;
        waitedNanos = figures().waitNanos();
        return waitedNanos - before;
    }

    @Override
    public void end(int sender) {
        writer.end();
        writer.close();
    }

    @Override
    public ChannelCounters.Figures shipped() {
        return figures();
    }

    private ChannelCounters.Figures figures() {
        return writer.counters().figures(System.nanoTime());
    }

    @Override
    public boolean hasEnough() {
        return enough;
    }
}
