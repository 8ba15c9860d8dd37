package petrichor.placement.curve;

import java.util.Arrays;
import petrichor.base.PetrichorException;

/**
 * Divides the values of a dimension into buckets that hold equally many of the sampled values, so
 * that a curve over the buckets does not crowd where values are frequent. Immutable.
 */
public final class Quantiles {
    private static final int BITS_MAX = 16;

    /** The smallest value of each bucket but the first, ascending. */
    private final double[] boundaries;

    private Quantiles(double[] boundaries) {
        this.boundaries = boundaries;
    }

    /**
     * @param bits there are 2^bits buckets; fewer are used if few values are different
     */
    public static Quantiles of(double[] sample, int bits) {
        if (bits < 1 || bits > BITS_MAX || sample.length == 0) {
            throw invalid(sample.length, bits);
        }
        double[] sorted = sample.clone();
        Arrays.sort(sorted);
        int buckets = 1 << bits;
        double[] boundaries = new double[buckets - 1];
        for (int k = 1; k < buckets; k++) {
            boundaries[k - 1] = sorted[(int) ((long) k * sorted.length / buckets)];
        }
        return new Quantiles(boundaries);
    }

    /**
     * As {@link #of}, of the values 0, 1, 2 and so on.
     *
     * @param counts how often each value occurs; one at least once
     */
    public static Quantiles ofCounts(long[] counts, int bits) {
        long total = Arrays.stream(counts).sum();
        if (bits < 1 || bits > BITS_MAX || total == 0) {
            throw invalid(total, bits);
        }
        int buckets = 1 << bits;
        double[] boundaries = new double[buckets - 1];
        int value = 0;
        long until = counts[0];
        for (int k = 1; k < buckets; k++) {
            long rank = k * total / buckets;
            while (until <= rank) {
                until += counts[++value];
            }
            boundaries[k - 1] = value;
        }
        return new Quantiles(boundaries);
    }

    private static PetrichorException invalid(long values, int bits) {
        return PetrichorException.invalid(
                "quantiles need at least one sampled value and 1 to {max} bits; values: {values},"
                        + " bits: {bits}",
                "max",
                BITS_MAX,
                "values",
                values,
                "bits",
                bits);
    }

    /** From 0 to 2^bits - 1, ascending with the value. */
    public int bucket(double value) {
        int low = 0;
        int high = boundaries.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (boundaries[middle] <= value) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
