package petrichor.jobs.channels.compression;

import java.util.EnumMap;
import java.util.Map;

/**
 * One block, tried at several levels: because it is the same block, the levels can be compared.
 *
 * @param rawBytes the block's size
 * @param trials what each tried level made of it; {@link Level#NONE} is not among them
 */
public record Sweep(int rawBytes, Map<Level, Trial> trials) {
    /**
     * @param bytes the size that the block got; that of the block where it is not worth it
     * @param compressNanos the time to compress it
     * @param decompressNanos the time to get it back
     */
    public record Trial(int bytes, long compressNanos, long decompressNanos) {}

    public Sweep {
        trials = Map.copyOf(new EnumMap<>(trials));
    }

    /** The time that the trial cost. */
    public long costNanos() {
        return trials.values().stream()
                .mapToLong(t -> t.compressNanos() + t.decompressNanos())
                .sum();
    }
}
