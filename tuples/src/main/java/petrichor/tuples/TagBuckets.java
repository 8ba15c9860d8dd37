package petrichor.tuples;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import petrichor.base.Bytes;

/**
 * Divides the values of a dimension, in the order of their UTF-8 bytes, into buckets that hold
 * equally many of the sampled values, so that the curve does not crowd where values are frequent.
 * Immutable.
 *
 * @param boundaries the smallest value of each bucket but the first, ascending; some are equal if
 *     few values are different
 */
record TagBuckets(List<byte[]> boundaries) {
    /** Longer values differ after this many bytes from too few others to matter. */
    private static final int BOUNDARY_BYTES_MAX = 24;

    private static final int BYTE_VALUES = 256;

    TagBuckets {
        boundaries = List.copyOf(boundaries);
    }

    /** Buckets of equal ranges of the first byte, for a collection without tuples. */
    static TagBuckets even(int bits) {
        int buckets = 1 << bits;
        List<byte[]> boundaries = new ArrayList<>(buckets - 1);
        for (int k = 1; k < buckets; k++) {
            boundaries.add(new byte[] {(byte) (k * BYTE_VALUES / buckets)});
        }
        return new TagBuckets(boundaries);
    }

    static TagBuckets of(List<String> sample, int bits) {
        if (sample.isEmpty()) {
            return even(bits);
        }
        byte[][] sorted =
                sample.stream()
                        .map(value -> value.getBytes(StandardCharsets.UTF_8))
                        .sorted(Bytes::compare)
                        .toArray(byte[][]::new);
        int buckets = 1 << bits;
        List<byte[]> boundaries = new ArrayList<>(buckets - 1);
        for (int k = 1; k < buckets; k++) {
            byte[] value = sorted[(int) ((long) k * sorted.length / buckets)];
            boundaries.add(Arrays.copyOf(value, Math.min(value.length, BOUNDARY_BYTES_MAX)));
        }
        return new TagBuckets(boundaries);
    }

    /** From 0 to 2^bits - 1, ascending with the value. */
    int bucket(String value) {
        return bucket(value.getBytes(StandardCharsets.UTF_8));
    }

    private int bucket(byte[] value) {
        int low = 0;
        int high = boundaries.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Bytes.compare(boundaries.get(middle), value) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The bucket of the largest values that begin with the prefix. */
    int lastBucket(String prefix) {
        byte[] after = Bytes.afterPrefix(prefix.getBytes(StandardCharsets.UTF_8));
        return after == null ? boundaries.size() : bucket(after);
    }
}
