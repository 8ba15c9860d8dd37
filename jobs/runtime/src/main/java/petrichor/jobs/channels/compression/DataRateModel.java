package petrichor.jobs.channels.compression;

import java.time.Duration;

/**
 * Algorithm 4 of Warneke's thesis (section 5.2.1): tries a neighbouring level from time to time,
 * keeps it if the task's data rate rose, else reverts; backs off exponentially while a level proves
 * good. It measures only the rate of the task's data, per period.
 *
 * <p>It differs from the algorithm as printed, which can leave the range of levels and stop trying
 * for good:
 *
 * <ul>
 *   <li>at the weakest level the next trial goes up, at the strongest down;
 *   <li>the back-off is limited to 64 periods;
 *   <li>a new rate is compared with the rate at the last change, so that a gradual decline is
 *       noticed.
 * </ul>
 *
 * <p>For one thread at a time.
 */
public final class DataRateModel implements LevelModel {
    /** The period in the thesis. */
    public static final Duration THESIS_PERIOD = Duration.ofSeconds(2);

    /** The thesis' alpha: a rate that differs by a smaller fraction counts as unchanged. */
    private static final double NO_CHANGE_SHARE = 0.2;

    /** Exponent of the back-off: at most two to this power periods pass between two trials. */
    private static final int BACKOFF_MAX = 6;

    private final long periodNanos;
    private final int[] backoff = new int[Level.ALL.size()];
    private int level;
    private boolean increasing = true;
    private int periodsAtLevel;
    private double earlierRate = -1;

    private long periodBytes;
    private long periodSpentNanos;

    public DataRateModel(Duration period) {
        if (!period.isPositive()) {
            throw new IllegalArgumentException("a period must be longer than " + period);
        }
        this.periodNanos = period.toNanos();
    }

    @Override
    public Level next() {
        return Level.ALL.get(level);
    }

    @Override
    public void sent(SentBlock block) {
        periodBytes += block.rawBytes();
        periodSpentNanos +=
                block.produceNanos()
                        + block.compressNanos()
                        + block.waitNanos()
                        + block.transferNanos();
        if (periodSpentNanos >= periodNanos) {
            decide((double) periodBytes / periodSpentNanos);
            periodBytes = 0;
            periodSpentNanos = 0;
        }
    }

    private void decide(double rate) {
        if (earlierRate < 0) {
            earlierRate = rate;
        }
        double difference = rate - earlierRate;
        periodsAtLevel++;
        int wanted = level;
        if (Math.abs(difference) < NO_CHANGE_SHARE * earlierRate) {
            if (periodsAtLevel >= 1 << backoff[level]) {
                turnAtTheEnds();
                wanted = increasing ? level + 1 : level - 1;
                periodsAtLevel = 0;
            }
        } else if (difference > 0) {
            backoff[level] = Math.min(backoff[level] + 1, BACKOFF_MAX);
            periodsAtLevel = 0;
            earlierRate = rate;
        } else {
            backoff[level] = 0;
            wanted = increasing ? level - 1 : level + 1;
            periodsAtLevel = 0;
            earlierRate = rate;
        }
        wanted = Math.clamp(wanted, 0, Level.ALL.size() - 1);
        if (wanted != level) {
            increasing = wanted > level;
            level = wanted;
        }
    }

    private void turnAtTheEnds() {
        if (level == 0) {
            increasing = true;
        } else if (level == Level.ALL.size() - 1) {
            increasing = false;
        }
    }
}
