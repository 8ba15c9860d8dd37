package petrichor.jobs.channels;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.compression.BlockCompressor;
import petrichor.jobs.channels.compression.Level;
import petrichor.jobs.channels.compression.LevelModel;
import petrichor.jobs.channels.compression.SentBlock;
import petrichor.jobs.channels.compression.SweepRun;

/**
 * Brings a writer's blocks into the form in which they travel, at the level that the model says. It
 * works in a buffer of its own, never in the block: whoever shares the block's bytes sees them
 * unchanged. For one thread.
 */
final class BlockEncoder implements AutoCloseable {
    private final LevelModel model;
    private final TimeSource time;
    private final int headroom;
    private final byte[] buffer;
    private final BlockCompressor compressor = new BlockCompressor();
    private @Nullable SweepRun trials;

    private Level level = Level.NONE;
    private int storedBytes;
    private int rawBytes;
    private long compressNanos;

    /**
     * @param headroom bytes that are left free before the header, for whoever frames the block
     */
    BlockEncoder(LevelModel model, int headroom, TimeSource time) {
        this.model = model;
        this.time = time;
        this.headroom = headroom;
        this.buffer =
                new byte[headroom + BlockHeader.BYTES + BlockCompressor.roomFor(Block.BYTES_MAX)];
    }

    /** Puts header and stored bytes behind the headroom of {@link #buffer}. */
    void encode(Block block) {
        byte[] bytes = block.bytes();
        rawBytes = block.length();
        Set<Level> wanted = model.wantedTrials(time.monotonicNanos());
        if (!wanted.isEmpty()) {
            if (trials == null) {
                trials = new SweepRun(compressor, Block.BYTES_MAX, time);
            }
            model.swept(trials.of(bytes, rawBytes, wanted), time.monotonicNanos());
        }
        level = model.next();
        int at = headroom + BlockHeader.BYTES;
        long begin = time.monotonicNanos();
        storedBytes = compressor.compress(level, bytes, rawBytes, buffer, at);
        compressNanos = level == Level.NONE ? 0 : time.monotonicNanos() - begin;
        boolean asItIs = storedBytes == rawBytes;
        if (asItIs) {
            System.arraycopy(bytes, 0, buffer, at, rawBytes);
        }
        Level stored = asItIs ? Level.NONE : level;
        BlockHeader.write(buffer, headroom, stored, rawBytes, buffer, at, storedBytes);
    }

    byte[] buffer() {
        return buffer;
    }

    /** The level that the newest block was given; it may have gone as it was all the same. */
    Level level() {
        return level;
    }

    int rawBytes() {
        return rawBytes;
    }

    /** Without any header. */
    int storedBytes() {
        return storedBytes;
    }

    /** Tells the model what became of the newest block. */
    void sent(long produceNanos, long waitNanos, long transferNanos) {
        model.sent(
                new SentBlock(
                        level,
                        rawBytes,
                        storedBytes,
                        produceNanos,
                        compressNanos,
                        waitNanos,
                        transferNanos,
                        time.monotonicNanos()));
    }

    @Override
    public void close() {
        compressor.close();
        if (trials != null) {
            trials.close();
        }
    }
}
