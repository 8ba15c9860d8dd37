package petrichor.jobs.channels.compression;

import java.util.EnumMap;
import java.util.Map;

/**
 * One block, tried at several levels, which can be compared because it is the same block.
 *
 * @param rawBytes the block's size
 * @param trials the result for each level tried; {@link Level#NONE} is not among them
 */
public record Sweep(int rawBytes, Map<Level, Trial> trials) {
    /**
     * @param bytes the compressed size; the block's own size where compression does not pay
     * @param compressNanos the time to compress it
     * @param decompressNanos the time to decompress it
     */
    public record Trial(int bytes, long compressNanos, long decompressNanos) {}

    public Sweep {
        trials = Map.copyOf(new EnumMap<>(trials));
    }

    /** The total time of the trial. */
    public long costNanos() {
        return trials.values().stream()
                .mapToLong(t -> t.compressNanos() + t.decompressNanos())
                .sum();
    }
}
