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
 * Makes frames of a writer's blocks, at the level that the model chooses, and counts what becomes
 * of them. A block that is not compressed is not copied: the headers go into the room in front of
 * it. One that is longer than a frame goes in parts. For one thread; {@link #close} gives native
 * memory back.
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
    private long begunNanos;
    private long compressNanos;
    private long lastReturnNanos;

    /**
     * @param channel what frames call it
     */
    public BlockEncoder(LevelModel model, long channel, TimeSource time) {
        this.model = model;
        this.channel = channel;
        this.time = time;
        this.lastReturnNanos = time.monotonicNanos();
    }

    /**
     * Encodes the part of the block that begins at {@code at}. The frame is good until the next
     * call, and as long as the block is.
     *
     * @return how many bytes of the block it holds
     */
    public int encode(Block block, int at) {
        begunNanos = time.monotonicNanos();
        rawBytes = Math.min(BlockPool.blockBytes(), block.end - at);
        Set<Level> wanted = model.wantedTrials(begunNanos);
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
        // Of a long block this overwrites the end of the part before, which has gone.
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

    /** Only for a channel that compresses. */
    private byte[] compressed() {
        byte[] room = compressed;
        if (room == null) {
            room = new byte[Block.HEADROOM + BlockCompressor.roomFor(Block.FRAME_BYTES_MAX)];
            compressed = room;
        }
        return room;
    }

    /** The array with the newest frame: the block's own, or one that belongs to this. */
    public byte[] array() {
        return array;
    }

    /** Where the frame begins. */
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

    /** Without any header. */
    public int storedBytes() {
        return storedBytes;
    }

    /**
     * The newest frame has gone.
     *
     * @param waitNanos how long its writer waited for a receiver that was busy
     * @param transferNanos how long it took to hand the bytes on
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
                        begunNanos - lastReturnNanos,
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
