package petrichor.jobs.channels.compression;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * Computes the level at which most data comes through. A channel is a pipeline of three stages that
 * work at the same time; the slowest says how fast data goes:
 *
 * <ul>
 *   <li>the writer's thread: produce, compress, hand to the operating system;
 *   <li>the wire: compressed bytes at the rate that the channel gets;
 *   <li>the reader's thread: decompress, consume.
 * </ul>
 *
 * <p>What each level costs and gains on the data at hand is known from trials on single blocks
 * ({@link LevelCosts}), the wire from the reader's reports ({@link LinkRate}), the task's own times
 * from the clock. Of the levels whose slowest stage is about equally fast, the one that takes least
 * processor time is chosen; so a channel whose consumer is slow, or whose producer is, does not
 * compress in vain.
 *
 * <p>Trials are paid from a budget: a hundredth of the time, and more only where the writer waits
 * anyway. For one thread at a time.
 */
public final class PipelineModel implements LevelModel {
    private static final Set<Level> NO_TRIALS = Set.of();
    private static final Set<Level> ALL_LEVELS =
            Collections.unmodifiableSet(EnumSet.range(Level.LZ4, Level.ZSTD_9));
    private static final Set<Level> CHEAP_LEVELS =
            Collections.unmodifiableSet(EnumSet.range(Level.LZ4, Level.ZSTD_3));

    private static final double TRIAL_SHARE = 0.01;

    /** What trials may take of the time that the writer spends waiting. */
    private static final double TRIAL_SHARE_OF_WAITS = 0.02;

    /** What trials of the strongest level may take while it looks far from useful. */
    private static final double IDLE_TRIAL_SHARE = 0.002;

    /** The strongest level is worth a trial if it is at most so many times slower. */
    private static final double PLAUSIBLE = 1.5;

    /** The first sweeps come in quick succession, every so many blocks. */
    private static final int FIRST_SWEEPS = 4;

    private static final int FIRST_SWEEPS_BLOCKS_APART = 2;

    /** A change of level must promise this much... */
    private static final double GAIN_MIN = 1.03;

    /** ...or be as fast as makes no difference and save this much processor time. */
    private static final double SAME = 1.01;

    private static final double SAVING_MIN = 1.1;

    /** Among levels this near to the fastest, the cheapest is taken. */
    private static final double NEAR = 1.02;

    private static final double WEIGHT = 1.0 / 16;

    /** Nanoseconds to copy a byte into the kernel: measured 0.2 to 0.4. */
    private static final double COPY_NANOS_ASSUMED = 0.3;

    /** More than this is waiting for the wire, not copying. */
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
    private boolean begun;

    private PipelineModel(boolean pipelined) {
        this.pipelined = pipelined;
    }

    /** Compression, wire and reader work at the same time. */
    public static PipelineModel forNetwork() {
        return new PipelineModel(true);
    }

    /** The file is written by the thread that compresses: nothing happens at the same time. */
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
        produce = begun ? produce + WEIGHT * (producedIn - produce) : producedIn;
        copy =
                pipelined
                        ? Math.min(Math.min(copy * COPY_FORGETS, copiedIn), COPY_NANOS_MAX)
                        : copy + WEIGHT * (copiedIn - copy);
        begun = true;
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

    /** Nanoseconds per raw byte of the stage that holds the others up. */
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

    /** Nanoseconds of processor time per raw byte, both sides together. */
    private double work(Level candidate) {
        return costs.compressNanos(candidate)
                + costs.decompressNanos(candidate)
                + 2 * COPY_NANOS_ASSUMED * costs.ratio(candidate);
    }
}
