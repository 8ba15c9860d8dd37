package petrichor.jobs.channels.compression;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.function.ToLongFunction;
import petrichor.jobs.channels.compression.Sweep.Trial;

/**
 * Estimates the costs and the compression ratio of each level on the channel's current data. Levels
 * are compared on the same blocks (the last few sweeps); the results of the level in use on every
 * block then scale the estimates of all levels, so that less compressible data or a busier
 * processor is noticed between sweeps. For one thread at a time.
 */
final class LevelCosts {
    /** Number of sweeps that are averaged. */
    private static final int SWEEPS_MAX = 6;

    private static final double SCALE_WEIGHT = 0.125;

    /** A single block changes the scale by at most this factor. */
    private static final double SCALE_MAX = 4;

    /**
     * A scale beyond this factor, up or down, means that the data has changed, rather than that
     * blocks vary.
     */
    private static final double OTHER_DATA = 1.5;

    private final Deque<Sweep> sweeps = new ArrayDeque<>();

    /** The recent sweeps that included the strongest level, which is tried less often. */
    private final Deque<Sweep> fullSweeps = new ArrayDeque<>();

    private final double[] ratio = new double[Level.ALL.size()];
    private final double[] compress = new double[Level.ALL.size()];
    private final double[] decompress = new double[Level.ALL.size()];
    private double sizeScale = 1;
    private double timeScale = 1;

    boolean empty() {
        return sweeps.isEmpty();
    }

    int count() {
        return sweeps.size();
    }

    /** Compressed size by raw size. */
    double ratio(Level level) {
        return level == Level.NONE ? 1 : Math.min(1, ratio[level.code()] * sizeScale);
    }

    /** Nanoseconds per raw byte. */
    double compressNanos(Level level) {
        return compress[level.code()] * timeScale;
    }

    /** Nanoseconds per raw byte. */
    double decompressNanos(Level level) {
        return decompress[level.code()];
    }

    /** Whether recent blocks differ from those of the sweeps. */
    boolean dataChanged() {
        return sizeScale > OTHER_DATA || sizeScale < 1 / OTHER_DATA;
    }

    void swept(Sweep sweep) {
        sweeps.addLast(sweep);
        if (sweeps.size() > SWEEPS_MAX) {
            sweeps.removeFirst();
        }
        if (sweep.trials().containsKey(Level.ZSTD_9)) {
            fullSweeps.addLast(sweep);
            if (fullSweeps.size() > SWEEPS_MAX) {
                fullSweeps.removeFirst();
            }
        }
        for (Level level : List.of(Level.LZ4, Level.ZSTD_1, Level.ZSTD_3)) {
            int index = level.code();
            ratio[index] = perByte(sweeps, level, Trial::bytes);
            compress[index] = perByteWithoutWorst(sweeps, level, Trial::compressNanos);
            decompress[index] = perByteWithoutWorst(sweeps, level, Trial::decompressNanos);
        }
        strongestFromItsNeighbour();
        // The sweeps now include the effect that the scale corrected.
        sizeScale += (1 - sizeScale) / SWEEPS_MAX;
        timeScale += (1 - timeScale) / SWEEPS_MAX;
    }

    private void strongestFromItsNeighbour() {
        int strongest = Level.ZSTD_9.code();
        int neighbour = Level.ZSTD_3.code();
        ratio[strongest] = ratio[neighbour] * relative(Trial::bytes);
        compress[strongest] = compress[neighbour] * relative(Trial::compressNanos);
        decompress[strongest] = decompress[neighbour] * relative(Trial::decompressNanos);
    }

    private double relative(ToLongFunction<Trial> of) {
        double strongest = perByte(fullSweeps, Level.ZSTD_9, of);
        double neighbour = perByte(fullSweeps, Level.ZSTD_3, of);
        return neighbour > 0 ? strongest / neighbour : 1;
    }

    /** Records the result of the level in use on one block. */
    void used(SentBlock block) {
        int index = block.level().code();
        if (block.level() == Level.NONE || sweeps.isEmpty()) {
            return;
        }
        sizeScale = moved(sizeScale, (double) block.wireBytes() / block.rawBytes(), ratio[index]);
        timeScale =
                moved(
                        timeScale,
                        (double) block.compressNanos() / block.rawBytes(),
                        compress[index]);
    }

    private static double moved(double scale, double seen, double expected) {
        if (expected <= 0) {
            return scale;
        }
        double now = Math.clamp(seen / expected, 1 / SCALE_MAX, SCALE_MAX);
        return scale + SCALE_WEIGHT * (now - scale);
    }

    private static double perByte(Iterable<Sweep> sweeps, Level level, ToLongFunction<Trial> of) {
        long sum = 0;
        long bytes = 0;
        for (Sweep sweep : sweeps) {
            Trial trial = sweep.trials().get(level);
            if (trial != null) {
                sum += of.applyAsLong(trial);
                bytes += sweep.rawBytes();
            }
        }
        return bytes == 0 ? 0 : (double) sum / bytes;
    }

    /**
     * Without the worst trial: one during which another process had the processor is not evidence
     * about the level.
     */
    private static double perByteWithoutWorst(
            Iterable<Sweep> sweeps, Level level, ToLongFunction<Trial> of) {
        List<Double> each = new ArrayList<>();
        for (Sweep sweep : sweeps) {
            Trial trial = sweep.trials().get(level);
            if (trial != null) {
                each.add((double) of.applyAsLong(trial) / sweep.rawBytes());
            }
        }
        Collections.sort(each);
        int counted = each.size() >= 3 ? each.size() - 1 : each.size();
        return each.stream().limit(counted).mapToDouble(d -> d).average().orElse(0);
    }
}
