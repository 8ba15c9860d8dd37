package petrichor.placement.curve;

import petrichor.base.PetrichorException;

/**
 * Hilbert's curve through a cube of any number of dimensions: neighbours on the curve are
 * neighbours in the cube. Skilling's algorithm ("Programming the Hilbert curve", 2004), which
 * transforms coordinates to the transposed index in place.
 *
 * @param bits of each coordinate; {@code bits * dimensions} is at most 63
 */
public record HilbertCurve(int dimensions, int bits) {
    private static final int INDEX_BITS_MAX = 63;

    public HilbertCurve {
        if (dimensions < 2 || bits < 1 || (long) dimensions * bits > INDEX_BITS_MAX) {
            throw PetrichorException.invalid(
                    "a Hilbert curve has at least two dimensions, and an index of at most 63 bits;"
                            + " dimensions: {dimensions}, bits of each: {bits}",
                    "dimensions",
                    dimensions,
                    "bits",
                    bits);
        }
    }

    /** The position of a point on the curve, from 0 to 2^(bits * dimensions) - 1. */
    public long index(int... point) {
        if (point.length != dimensions) {
            throw new IllegalArgumentException("the point has " + point.length + " coordinates");
        }
        int[] x = point.clone();
        for (int coordinate : x) {
            if (coordinate < 0 || coordinate >>> bits != 0) {
                throw new IllegalArgumentException(coordinate + " has more than " + bits + " bits");
            }
        }
        int highest = 1 << (bits - 1);
        for (int q = highest; q > 1; q >>= 1) {
            int below = q - 1;
            for (int k = 0; k < dimensions; k++) {
                if ((x[k] & q) != 0) {
                    x[0] ^= below;
                } else {
                    int exchanged = (x[0] ^ x[k]) & below;
                    x[0] ^= exchanged;
                    x[k] ^= exchanged;
                }
            }
        }
        for (int k = 1; k < dimensions; k++) {
            x[k] ^= x[k - 1];
        }
        int flips = 0;
        for (int q = highest; q > 1; q >>= 1) {
            if ((x[dimensions - 1] & q) != 0) {
                flips ^= q - 1;
            }
        }
        for (int k = 0; k < dimensions; k++) {
            x[k] ^= flips;
        }
        return interleaved(x);
    }

    private long interleaved(int[] transposed) {
        long index = 0;
        for (int bit = bits - 1; bit >= 0; bit--) {
            for (int word : transposed) {
                index = index << 1 | (word >>> bit & 1);
            }
        }
        return index;
    }
}
