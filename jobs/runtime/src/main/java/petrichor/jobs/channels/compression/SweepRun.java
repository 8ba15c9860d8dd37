package petrichor.jobs.channels.compression;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.compression.Sweep.Trial;

/** Tries a block at several levels and measures each. For one thread. */
public final class SweepRun implements AutoCloseable {
    private final BlockCompressor compressor;
    private final BlockDecompressor decompressor = new BlockDecompressor();
    private final TimeSource time;
    private final byte[] compressed;
    private final byte[] back;

    /**
     * Levels that have run once: the first run also allocates tables, so its time is not measured.
     */
    private final Set<Level> warm = EnumSet.noneOf(Level.class);

    /**
     * @param blockBytesMax size of the largest block to be tried
     */
    public SweepRun(BlockCompressor compressor, int blockBytesMax, TimeSource time) {
        this.compressor = compressor;
        this.time = time;
        this.compressed = new byte[BlockCompressor.capacityFor(blockBytesMax)];
        this.back = new byte[blockBytesMax];
    }

    public Sweep of(byte[] block, int offset, int length, Set<Level> levels) {
        Map<Level, Trial> trials = new EnumMap<>(Level.class);
        for (Level level : levels) {
            if (warm.add(level)) {
                compressor.compress(level, block, offset, length, compressed, 0);
            }
            long begin = time.monotonicNanos();
            int size = compressor.compress(level, block, offset, length, compressed, 0);
            long middle = time.monotonicNanos();
            if (size < length) {
                decompressor.decompress(level, compressed, 0, size, back, 0, length);
            }
            trials.put(level, new Trial(size, middle - begin, time.monotonicNanos() - middle));
        }
        return new Sweep(length, trials);
    }

    @Override
    public void close() {
        decompressor.close();
    }
}
