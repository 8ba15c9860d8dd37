package petrichor.bench.stores;

import java.util.ArrayList;
import java.util.List;

/**
 * A latency histogram with logarithmic buckets. Each power of two is divided into {@value #PARTS}
 * parts, so a latency read from it is at most 3 % too low; memory does not grow with the number of
 * samples. Belongs to one thread while it is filled.
 */
public final class Latencies {
    private static final int PARTS_BITS = 5;
    private static final int PARTS = 1 << PARTS_BITS;
    private static final int BUCKETS = (Long.SIZE - PARTS_BITS) * PARTS;

    /** Minimum distance between points of a drawn distribution, as a fraction of all samples. */
    private static final double SHOWN_APART = 0.004;

    /** A point of the cumulative distribution. */
    public record Share(double micros, double share) {}

    private final long[] counts = new long[BUCKETS];
    private long count;
    private long sumNanos;
    private long longestNanos;

    public void add(long nanos) {
        long taken = Math.max(0, nanos);
        counts[bucket(taken)]++;
        count++;
        sumNanos += taken;
        longestNanos = Math.max(longestNanos, taken);
    }

    public void add(Latencies other) {
        for (int i = 0; i < BUCKETS; i++) {
            counts[i] += other.counts[i];
        }
        count += other.count;
        sumNanos += other.sumNanos;
        longestNanos = Math.max(longestNanos, other.longestNanos);
    }

    private static int bucket(long nanos) {
        if (nanos < PARTS) {
            return (int) nanos;
        }
        int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos) - PARTS_BITS;
        return (shift + 1) * PARTS + (int) ((nanos >>> shift) - PARTS);
    }

    private static long lowest(int bucket) {
        if (bucket < PARTS) {
            return bucket;
        }
        int shift = bucket / PARTS - 1;
        return (long) (PARTS + bucket % PARTS) << shift;
    }

    public long count() {
        return count;
    }

    public double meanMicros() {
        return count == 0 ? 0 : sumNanos / 1e3 / count;
    }

    public double longestMicros() {
        return longestNanos / 1e3;
    }

    /**
     * @param share quantile, such as 0.5 for the median
     */
    public double micros(double share) {
        long wanted = Math.max(1, (long) Math.ceil(share * count));
        long seen = 0;
        for (int i = 0; i < BUCKETS; i++) {
            seen += counts[i];
            if (seen >= wanted) {
                return lowest(i) / 1e3;
            }
        }
        return 0;
    }

    /** Points in ascending order, as many as a drawing can show; the last one has share 1. */
    public List<Share> distribution() {
        List<Share> points = new ArrayList<>();
        long seen = 0;
        long shown = Long.MIN_VALUE / 2;
        for (int i = 0; i < BUCKETS; i++) {
            seen += counts[i];
            boolean far = seen - shown >= count * SHOWN_APART;
            if (counts[i] > 0 && (far || seen == count)) {
                points.add(new Share(lowest(i) / 1e3, (double) seen / count));
                shown = seen;
            }
        }
        return points;
    }
}
