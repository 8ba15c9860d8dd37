package petrichor.jobs.channels;

import java.nio.ByteBuffer;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.compression.LevelModel;

/**
 * Brings blocks into the form in which they travel, for whoever carries their bytes by other means
 * than our connections: compressed as the model says, with a checksum. For one thread; {@link
 * #close} gives native memory back.
 */
public final class PackedOutput implements AutoCloseable {
    private final TimeSource time;
    private final BlockEncoder encoder;
    private final ChannelCounters counters;
    private long lastReturnNanos;
    private long begunNanos;

    public PackedOutput(LevelModel model, TimeSource time) {
        this.time = time;
        this.encoder = new BlockEncoder(model, 0, time);
        this.counters = new ChannelCounters(time.monotonicNanos());
        this.lastReturnNanos = time.monotonicNanos();
    }

    /**
     * Takes the block and gives it back to its pool.
     *
     * @return its bytes as they are to go; good until the next call
     */
    public ByteBuffer pack(Block block) {
        begunNanos = time.monotonicNanos();
        encoder.encode(block);
        block.release();
        return ByteBuffer.wrap(encoder.buffer(), 0, BlockHeader.BYTES + encoder.storedBytes());
    }

    /**
     * The newest block has gone.
     *
     * @param waitNanos how long its writer waited for a reader that was busy
     * @param transferNanos how long it took to hand the bytes on
     */
    public void sent(long waitNanos, long transferNanos) {
        counters.block(encoder.rawBytes(), encoder.storedBytes(), encoder.level());
        counters.waited(waitNanos + transferNanos);
        encoder.sent(begunNanos - lastReturnNanos, waitNanos, transferNanos);
        lastReturnNanos = time.monotonicNanos();
    }

    public ChannelCounters.Figures figures() {
        return counters.figures(time.monotonicNanos());
    }

    @Override
    public void close() {
        encoder.close();
    }
}
