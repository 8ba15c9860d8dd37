package petrichor.jobs.channels.compression;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * Computes the level with the highest throughput. A channel is a pipeline of three concurrent
 * stages, of which the slowest is the bottleneck:
 *
 * <ul>
 *   <li>the writer's thread: produce, compress, pass to the operating system;
 *   <li>the wire: compressed bytes at the rate available to the channel;
 *   <li>the reader's thread: decompress, consume.
 * </ul>
 *
 * <p>The costs and the ratio of each level on the current data come from trials on single blocks
 * ({@link LevelCosts}), the rate of the wire from the reader's reports ({@link LinkRate}), the
 * task's own times from the clock. Among the levels whose bottleneck is about equally fast, it
 * chooses the one with the least processor time; so a channel with a slow consumer or producer does
 * not compress in vain.
 *
 * <p>Trials have a budget: a hundredth of the time, and more only where the writer waits anyway.
 * For one thread at a time.
 */
public final class PipelineModel implements LevelModel {
    private static final Set<Level> NO_TRIALS = Set.of();
    private static final Set<Level> ALL_LEVELS =
            Collections.unmodifiableSet(EnumSet.range(Level.LZ4, Level.ZSTD_9));
    private static final Set<Level> CHEAP_LEVELS =
            Collections.unmodifiableSet(EnumSet.range(Level.LZ4, Level.ZSTD_3));

    private static final double TRIAL_SHARE = 0.01;

    /** Trial budget as a fraction of the time that the writer is blocked. */
    private static final double TRIAL_SHARE_OF_WAITS = 0.02;

    /** Trial budget of the strongest level while it is far from useful. */
    private static final double IDLE_TRIAL_SHARE = 0.002;

    /** The strongest level is worth a trial if it is at most this many times slower. */
    private static final double PLAUSIBLE = 1.5;

    /** The first sweeps follow each other after this many blocks. */
    private static final int FIRST_SWEEPS = 4;

    private static final int FIRST_SWEEPS_BLOCKS_APART = 2;

    /** A change of level must gain at least this factor in throughput... */
    private static final double GAIN_MIN = 1.03;

    /** ...or lose no more than this and save this factor of processor time. */
    private static final double SAME = 1.01;

    private static final double SAVING_MIN = 1.1;

    /** Among the levels within this factor of the fastest, the cheapest is chosen. */
    private static final double NEAR = 1.02;

    private static final double WEIGHT = 1.0 / 16;

    /** Nanoseconds to copy a byte into the kernel: measured 0.2 to 0.4. */
    private static final double COPY_NANOS_ASSUMED = 0.3;

    /** A longer time is a wait for the wire, not copying. */
    private static final double COPY_NANOS_MAX = 1;

    private static final double COPY_FORGETS = 1.02;

    private final boolean pipelined;
    private final LevelCosts costs = new LevelCosts();
    private final LinkRate link = new LinkRate();
    private Level level = Level.ZSTD_1;

    private double produce;
    private double copy = COPY_NANOS_ASSUMED;
    private double consume;
    private double decompressScale = 1;
    private double waitShare;
    private DrainReport lastReport = DrainReport.NOTHING;

    private long lastSweepAt;
    private long lastSweepCost;
    private long lastFullSweepAt;
    private long lastFullSweepCost;
    private int blocksSinceSweep;
    private boolean started;

    private PipelineModel(boolean pipelined) {
        this.pipelined = pipelined;
    }

    /** A model in which compression, wire and reader overlap. */
    public static PipelineModel forNetwork() {
        return new PipelineModel(true);
    }

    /** A model in which nothing overlaps: the thread that compresses writes the file. */
    public static PipelineModel forFile() {
        return new PipelineModel(false);
    }

    @Override
    public Set<Level> wantedTrials(long nowNanos) {
        if (costs.empty()) {
            return ALL_LEVELS;
        }
        if (costs.count() < FIRST_SWEEPS) {
            return blocksSinceSweep >= FIRST_SWEEPS_BLOCKS_APART ? CHEAP_LEVELS : NO_TRIALS;
        }
        double share = TRIAL_SHARE + TRIAL_SHARE_OF_WAITS * waitShare;
        double strongestShare = strongestIsPlausible() ? share : IDLE_TRIAL_SHARE;
        if (nowNanos - lastFullSweepAt >= lastFullSweepCost / strongestShare) {
            return ALL_LEVELS;
        }
        double hurry = costs.dataChanged() ? 5 : 1;
        return nowNanos - lastSweepAt >= lastSweepCost / (share * hurry) ? CHEAP_LEVELS : NO_TRIALS;
    }

    private boolean strongestIsPlausible() {
        double best = Double.POSITIVE_INFINITY;
        for (Level candidate : Level.ALL) {
            best = Math.min(best, slowestStage(candidate));
        }
        return slowestStage(Level.ZSTD_9) <= best * PLAUSIBLE;
    }

    @Override
    public void swept(Sweep sweep, long nowNanos) {
        costs.swept(sweep);
        blocksSinceSweep = 0;
        lastSweepAt = nowNanos;
        lastSweepCost = sweep.costNanos();
        if (sweep.trials().containsKey(Level.ZSTD_9)) {
            lastFullSweepAt = nowNanos;
            lastFullSweepCost = sweep.costNanos();
        }
    }

    @Override
    public void sent(SentBlock block) {
        blocksSinceSweep++;
        costs.used(block);
        double producedIn = (double) block.produceNanos() / block.rawBytes();
        double copiedIn = (double) block.transferNanos() / block.wireBytes();
        produce = started ? produce + WEIGHT * (producedIn - produce) : producedIn;
        copy =
                pipelined
                        ? Math.min(Math.min(copy * COPY_FORGETS, copiedIn), COPY_NANOS_MAX)
                        : copy + WEIGHT * (copiedIn - copy);
        started = true;
        double copying = copy * block.wireBytes();
        double waited = block.waitNanos() + Math.max(0, block.transferNanos() - copying);
        double whole =
                block.produceNanos()
                        + block.compressNanos()
                        + block.waitNanos()
                        + block.transferNanos();
        link.writerWaited((long) waited);
        if (whole > 0) {
            waitShare += WEIGHT * (waited / whole - waitShare);
        }
    }

    @Override
    public void drained(DrainReport report) {
        link.drained(report);
        DrainReport news = report.since(lastReport);
        lastReport = report;
        if (news.consumedBytes() > 0) {
            double consumedIn = (double) news.consumeNanos() / news.consumedBytes();
            consume += 2 * WEIGHT * (consumedIn - consume);
            double expected = costs.decompressNanos(level);
            if (expected > 0) {
                double seen = (double) news.decompressNanos() / news.consumedBytes();
                double now = Math.clamp(seen / expected, 0.25, 4);
                decompressScale += 2 * WEIGHT * (now - decompressScale);
            }
        }
    }

    @Override
    public Level next() {
        if (costs.empty()) {
            return level;
        }
        double fastest = Double.POSITIVE_INFINITY;
        for (Level candidate : Level.ALL) {
            fastest = Math.min(fastest, slowestStage(candidate));
        }
        Level best = level;
        double cheapest = Double.POSITIVE_INFINITY;
        for (Level candidate : Level.ALL) {
            if (slowestStage(candidate) <= fastest * NEAR && work(candidate) < cheapest) {
                best = candidate;
                cheapest = work(candidate);
            }
        }
        double gain = slowestStage(level) / slowestStage(best);
        boolean faster = gain >= GAIN_MIN;
        boolean cheaper = gain >= 1 / SAME && work(level) >= SAVING_MIN * work(best);
        if (faster || cheaper) {
            level = best;
        }
        return level;
    }

    /** Nanoseconds per raw byte of the bottleneck stage. */
    private double slowestStage(Level candidate) {
        double ratio = costs.ratio(candidate);
        double writing = produce + costs.compressNanos(candidate) + copy * ratio;
        if (!pipelined) {
            return writing;
        }
        double wire = ratio / link.bytesPerNano();
        double reading = decompressScale * costs.decompressNanos(candidate) + consume;
        return Math.max(Math.max(writing, wire), reading);
    }

    /** Processor time of both sides together, in nanoseconds per raw byte. */
    private double work(Level candidate) {
        return costs.compressNanos(candidate)
                + costs.decompressNanos(candidate)
                + 2 * COPY_NANOS_ASSUMED * costs.ratio(candidate);
    }
}
