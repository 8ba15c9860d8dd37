package petrichor.apps.scaling;

import java.time.Duration;
import java.time.Instant;

/**
 * The average of a value over a sliding window, in buckets of a second, as in Knative's autoscaler.
 * The average is that of the time since the first value, until a complete window has passed. Not
 * thread-safe.
 *
 * <p>Unlike Knative's, a bucket has the mean of its values, not their sum, and a value also fills
 * the empty buckets before it: it is an average since the previous value, and the autoscaler may be
 * called more or less often than once per second.
 */
final class BucketWindow {
    static final Duration GRANULARITY = Duration.ofSeconds(1);

    /** At least this share of all weights is in the window. */
    private static final double WEIGHT_PRECISION = 0.9999;

    /** In long windows, a weighted average would otherwise be close to a linear one. */
    private static final double SMOOTHING_MIN = 0.2;

    /** Sums of fractions must not cross an integer by a rounding error. */
    private static final double PRECISION = 1e6;

    private final double[] sums;
    private final int[] counts;
    private final double smoothing;
    private long first;
    private long last;
    private boolean empty = true;

    BucketWindow(Duration window) {
        int buckets = Math.max(1, Math.toIntExact(window.toSeconds()));
        sums = new double[buckets];
        counts = new int[buckets];
        smoothing = smoothing(buckets);
    }

    /** The weight of the newest bucket. */
    static double smoothing(int buckets) {
        return Math.max(1 - Math.pow(1 - WEIGHT_PRECISION, 1.0 / buckets), SMOOTHING_MIN);
    }

    /** A value at a time that is not before the previous one. */
    void record(Instant at, double value) {
        long bucket = Math.floorDiv(at.toEpochMilli(), GRANULARITY.toMillis());
        if (empty || bucket - last >= sums.length) {
            empty = false;
            first = bucket;
            last = bucket;
            clear(bucket);
        }
        while (last < bucket) {
            last++;
            clear(last);
            if (last < bucket) {
                add(last, value);
            }
        }
        add(last, value);
    }

    private void clear(long bucket) {
        int index = index(bucket);
        sums[index] = 0;
        counts[index] = 0;
    }

    private void add(long bucket, double value) {
        int index = index(bucket);
        sums[index] += value;
        counts[index]++;
    }

    private int index(long bucket) {
        return Math.floorMod(bucket, sums.length);
    }

    private double value(long bucket) {
        int index = index(bucket);
        return counts[index] == 0 ? 0 : sums[index] / counts[index];
    }

    /** 0 without values. Buckets since the last value do not count. */
    double average(Instant now) {
        long current = Math.floorDiv(now.toEpochMilli(), GRANULARITY.toMillis());
        if (empty || current - last >= sums.length) {
            return 0;
        }
        long oldest = Math.max(first, current - sums.length + 1);
        double sum = 0;
        for (long bucket = oldest; bucket <= last; bucket++) {
            sum += value(bucket);
        }
        return rounded(sum / (last - oldest + 1));
    }

    /** 0 without values. Each bucket has a share of the weight that the newer ones leave. */
    double weightedAverage(Instant now) {
        long current = Math.floorDiv(now.toEpochMilli(), GRANULARITY.toMillis());
        if (empty || current - last >= sums.length) {
            return 0;
        }
        double weight = smoothing * Math.pow(1 - smoothing, (double) Math.max(0, current - last));
        double sum = 0;
        long oldest = Math.max(first, current - sums.length + 1);
        for (long bucket = last; bucket >= oldest; bucket--) {
            sum += value(bucket) * weight;
            weight *= 1 - smoothing;
        }
        return rounded(sum);
    }

    private static double rounded(double value) {
        return Math.round(value * PRECISION) / PRECISION;
    }
}
