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
 * Encodes a writer's blocks as frames, compressed at the level that the model chooses, and reports
 * costs to the model. An uncompressed block is not copied: the headers are written into its
 * headroom. A block longer than a frame is split. For one thread; {@link #close} frees native
 * memory.
 */
public final class BlockEncoder implements AutoCloseable {
    private final LevelModel model;
    private final long channel;
    private final TimeSource time;
    private final ChannelCounters counters = new ChannelCounters();
    private final BlockCompressor compressor = new BlockCompressor();
    private byte @Nullable [] compressed;
    private @Nullable SweepRun trials;

    private byte[] array = {};
    private int from;
    private Level level = Level.NONE;
    private int storedBytes;
    private int rawBytes;
    private long startNanos;
    private long compressNanos;
    private long lastReturnNanos;

    /**
     * @param channel the channel number in the frames
     */
    public BlockEncoder(LevelModel model, long channel, TimeSource time) {
        this.model = model;
        this.channel = channel;
        this.time = time;
        this.lastReturnNanos = time.monotonicNanos();
    }

    /**
     * Encodes the part of the block that starts at {@code at}. The frame is valid until the next
     * call, and no longer than the block.
     *
     * @return how many bytes of the block the frame holds
     */
    public int encode(Block block, int at) {
        startNanos = time.monotonicNanos();
        rawBytes = Math.min(BlockPool.blockBytes(), block.end - at);
        Set<Level> wanted = model.wantedTrials(startNanos);
        if (!wanted.isEmpty()) {
            if (trials == null) {
                trials = new SweepRun(compressor, Block.FRAME_BYTES_MAX, time);
            }
            model.swept(trials.of(block.array, at, rawBytes, wanted), time.monotonicNanos());
        }
        level = model.next();
        storedBytes = rawBytes;
        compressNanos = 0;
        if (level != Level.NONE) {
            long begin = time.monotonicNanos();
            storedBytes =
                    compressor.compress(
                            level, block.array, at, rawBytes, compressed(), Block.HEADROOM);
            compressNanos = time.monotonicNanos() - begin;
        }
        boolean asItIs = storedBytes == rawBytes;
        array = asItIs ? block.array : compressed();
        // For a long block, this overwrites the end of the previous part, which has already been
        // sent.
        from = asItIs ? at - Block.HEADROOM : 0;
        new Frame(Frame.Type.BLOCK, BlockHeader.BYTES + storedBytes, channel).write(array, from);
        BlockHeader.of(
                        asItIs ? Level.NONE : level,
                        rawBytes,
                        storedBytes,
                        block.records,
                        block.length())
                .write(array, from + Frame.HEADER_BYTES, array, from + Block.HEADROOM);
        return rawBytes;
    }

    /** Allocated only for a channel that compresses. */
    private byte[] compressed() {
        if (compressed == null) {
            compressed =
                    new byte[Block.HEADROOM + BlockCompressor.capacityFor(Block.FRAME_BYTES_MAX)];
        }
        return compressed;
    }

    /** The array with the newest frame: the block's own, or one that belongs to this encoder. */
    public byte[] array() {
        return array;
    }

    /** Offset at which the frame starts. */
    public int from() {
        return from;
    }

    /** The length of the frame. */
    public int length() {
        return Block.HEADROOM + storedBytes;
    }

    /** How many bytes of the block the newest frame holds. */
    public int rawBytes() {
        return rawBytes;
    }

    /** How it was compressed. */
    public Level level() {
        return level;
    }

    /** Size without headers. */
    public int storedBytes() {
        return storedBytes;
    }

    /**
     * Reports that the newest frame was sent.
     *
     * @param waitNanos how long its writer was blocked by back-pressure
     * @param transferNanos how long it took to pass the bytes to the operating system
     */
    public void sent(long waitNanos, long transferNanos) {
        counters.block(rawBytes, storedBytes, level);
        counters.waited(waitNanos + transferNanos);
        long now = time.monotonicNanos();
        model.sent(
                new SentBlock(
                        level,
                        rawBytes,
                        storedBytes,
                        startNanos - lastReturnNanos,
                        compressNanos,
                        waitNanos,
                        transferNanos,
                        now));
        lastReturnNanos = now;
    }

    public ChannelCounters counters() {
        return counters;
    }

    @Override
    public void close() {
        compressor.close();
        if (trials != null) {
            trials.close();
        }
    }
}
