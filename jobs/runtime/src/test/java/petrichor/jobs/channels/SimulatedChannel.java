package petrichor.jobs.channels;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.LongFunction;
import java.util.function.LongToDoubleFunction;
import petrichor.jobs.channels.compression.DrainReport;
import petrichor.jobs.channels.compression.Level;
import petrichor.jobs.channels.compression.LevelModel;
import petrichor.jobs.channels.compression.SentBlock;
import petrichor.jobs.channels.compression.Sweep;
import petrichor.jobs.channels.compression.Sweep.Trial;

/**
 * Simulates one channel with a virtual clock: a writer that compresses and waits, a wire whose rate
 * changes, a reader that decompresses and reports. The costs and ratios of levels were measured on
 * real files.
 */
final class SimulatedChannel {
    static final int BLOCK_BYTES = 128 << 10;
    private static final int CREDITS = 16;
    private static final double COPY_NANOS_PER_BYTE = 0.3;
    private static final int TRAIN_BEGIN_BYTES = 16 << 10;

    /** Burst that the traffic shaper admits after a pause. */
    private static final double BURST_NANOS = 2_000_000;

    private static final double BURST_BYTES = 16 << 10;
    private static final double LINE_BYTES_PER_NANO = 5;

    /**
     * Compression and decompression in megabytes per second of processor time, and ratios, by level
     * from none to zstd-9.
     */
    record Data(double[] compress, double[] decompress, double[] ratio, double variation) {
        static final Data FAX =
                new Data(
                        new double[] {0, 1569, 867, 813, 117},
                        new double[] {0, 9610, 2382, 2947, 2654},
                        new double[] {1, .174, .100, .103, .098},
                        0.5);
        static final Data TEXT =
                new Data(
                        new double[] {0, 488, 248, 212, 36},
                        new double[] {0, 3915, 897, 1174, 1028},
                        new double[] {1, .588, .409, .378, .353},
                        0.05);
        static final Data PHOTO =
                new Data(
                        new double[] {0, 18898, 1243, 1400, 941},
                        new double[] {0, 67578, 11575, 11021, 10242},
                        new double[] {1, 1, 1, 1, 1},
                        0);
    }

    /** Time per raw byte of the tasks at both ends, and the latency of reports. */
    record Ends(double produceNanos, double consumeNanos, long latencyNanos) {
        static final Ends FAST = new Ends(0.1, 0.1, 200_000);
    }

    /** The result: when the last byte was consumed, and the consumed bytes over time. */
    record Run(long nanos, Map<Level, Integer> blocks, Deque<long[]> progress) {
        double megabytesPerSecond(long from, long to) {
            return (consumedAt(to) - consumedAt(from)) * 1e3 / (to - from);
        }

        private double consumedAt(long nanos) {
            long[] before = {0, 0};
            for (long[] point : progress) {
                if (point[0] >= nanos) {
                    double share =
                            point[0] == before[0]
                                    ? 1
                                    : (double) (nanos - before[0]) / (point[0] - before[0]);
                    return before[1] + share * (point[1] - before[1]);
                }
                before = point;
            }
            return before[1];
        }
    }

    private record Due(long atNanos, DrainReport report) {}

    private final LevelModel model;
    private final LongFunction<Data> data;
    private final LongToDoubleFunction wireBytesPerNano;
    private final Ends ends;
    private final SplittableRandom random;

    /** Draws only the sizes of blocks, so that every model gets the same blocks. */
    private final SplittableRandom sizes;

    private final SendWindow window = new SendWindow(CREDITS);
    private final Deque<Due> due = new ArrayDeque<>();

    private long now;
    private long wireFree;
    private double burst;
    private long readerFree;
    private long arrived;
    private long consumed;
    private long trainBytes;
    private long burstNanos;
    private long idle;
    private long decompressing;
    private long consuming;

    /**
     * @param data sent from each moment on
     * @param wireBytesPerNano the wire's rate from each moment on
     */
    SimulatedChannel(
            LevelModel model,
            LongFunction<Data> data,
            LongToDoubleFunction wireBytesPerNano,
            Ends ends,
            long seed) {
        this.model = model;
        this.data = data;
        this.wireBytesPerNano = wireBytesPerNano;
        this.ends = ends;
        this.random = new SplittableRandom(seed);
        this.sizes = new SplittableRandom(seed + 1);
    }

    /** Sends until all bytes have been sent or the time is over. */
    Run run(long bytes, long untilNanos) {
        Map<Level, Integer> blocks = new EnumMap<>(Level.class);
        Deque<long[]> progress = new ArrayDeque<>();
        for (long sent = 0; sent < bytes && now < untilNanos; sent += BLOCK_BYTES) {
            Level level = block();
            blocks.merge(level, 1, Integer::sum);
            progress.add(new long[] {readerFree, sent + BLOCK_BYTES});
        }
        return new Run(readerFree, blocks, progress);
    }

    private Level block() {
        long produce = noisy(ends.produceNanos * BLOCK_BYTES);
        now += produce;
        hear();
        Data content = data.apply(now);
        double size = Math.exp(content.variation * sizes.nextGaussian(0, 1));
        Set<Level> trials = model.wantedTrials(now);
        if (!trials.isEmpty()) {
            Map<Level, Trial> outcome = new EnumMap<>(Level.class);
            for (Level level : trials) {
                outcome.put(
                        level,
                        new Trial(
                                bytes(content, level, size),
                                noisy(compressNanos(content, level)),
                                noisy(decompressNanos(content, level))));
            }
            Sweep sweep = new Sweep(BLOCK_BYTES, outcome);
            now += sweep.costNanos();
            model.swept(sweep, now);
        }
        Level level = model.next();
        long compress = level == Level.NONE ? 0 : noisy(compressNanos(content, level));
        now += compress;
        hear();
        long before = now;
        while (due.size() >= window.blocks()) {
            now = Math.max(now, due.getFirst().atNanos);
            hear();
        }
        int wire = bytes(content, level, size);
        long waited = now - before;
        long transfer = (long) (wire * COPY_NANOS_PER_BYTE);
        now += transfer;
        arrive(content, level, wire);
        window.sent(wire);
        model.sent(
                new SentBlock(level, BLOCK_BYTES, wire, produce, compress, waited, transfer, now));
        return level;
    }

    private void arrive(Data content, Level level, int wire) {
        boolean wireWasIdle = wireFree <= now;
        long begin = Math.max(now, wireFree);
        double rate = wireBytesPerNano.applyAsDouble(begin);
        burst = Math.min(BURST_NANOS * rate + BURST_BYTES, burst + (begin - wireFree) * rate);
        double atOnce = Math.min(burst, wire);
        burst -= atOnce;
        wireFree = begin + (long) (atOnce / LINE_BYTES_PER_NANO + (wire - atOnce) / rate);
        int beforeTrain = wireWasIdle ? Math.min(wire, TRAIN_BEGIN_BYTES) : 0;
        double slow = Math.min(wire - beforeTrain, wire - atOnce);
        trainBytes += wire - beforeTrain;
        burstNanos += (long) (slow / rate + (wire - beforeTrain - slow) / LINE_BYTES_PER_NANO);
        arrived += wire;
        idle += Math.max(0, wireFree - readerFree);
        long decompress = level == Level.NONE ? 0 : noisy(decompressNanos(content, level));
        long done = Math.max(wireFree, readerFree) + decompress;
        decompressing += decompress;
        consumed += BLOCK_BYTES;
        long consume = noisy(ends.consumeNanos * BLOCK_BYTES);
        DrainReport report =
                new DrainReport(
                        wireFree,
                        arrived,
                        trainBytes,
                        burstNanos,
                        0,
                        consumed,
                        idle,
                        decompressing,
                        consuming);
        consuming += consume;
        readerFree = done + consume;
        due.addLast(new Due(done + ends.latencyNanos, report));
    }

    private void hear() {
        while (!due.isEmpty() && due.getFirst().atNanos <= now) {
            DrainReport report = due.removeFirst().report;
            window.drained(report);
            model.drained(report);
        }
    }

    private long noisy(double nanos) {
        return (long) (nanos * Math.max(0.5, random.nextGaussian(1, 0.1)));
    }

    private static double compressNanos(Data data, Level level) {
        return BLOCK_BYTES * 1e3 / data.compress[level.code()];
    }

    private static double decompressNanos(Data data, Level level) {
        return data.ratio[level.code()] >= 1
                ? 0
                : BLOCK_BYTES * 1e3 / data.decompress[level.code()];
    }

    private static int bytes(Data data, Level level, double size) {
        double ratio = data.ratio[level.code()];
        return ratio >= 1
                ? BLOCK_BYTES
                : (int) Math.clamp(BLOCK_BYTES * ratio * size, 200, BLOCK_BYTES);
    }
}
