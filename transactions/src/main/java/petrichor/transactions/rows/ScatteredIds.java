package petrichor.transactions.rows;

/**
 * Maps a counter to ids scattered over 2^52 .. 2^53: large enough to avoid numbers chosen by
 * people, small enough for JavaScript, and far from each other, so that new entities do not cluster
 * at one end of the key space. One-to-one: no two counts map to the same id.
 */
public final class ScatteredIds {
    private static final int BITS = 52;
    private static final int HALF = BITS / 2;
    private static final long MASK = (1L << BITS) - 1;
    private static final long FIRST_ID = 1L << BITS;

    /** Odd, so that multiplication has an inverse; from SplitMix64. */
    private static final long FACTOR = 0xBF58476D1CE4E5B9L & MASK;

    private static final long INVERSE = inverse(FACTOR);

    private ScatteredIds() {}

    /**
     * @param count 0 .. 2^52 - 1
     */
    public static long idOf(long count) {
        if (count < 0 || count > MASK) {
            throw new IllegalArgumentException("no ids left at " + count);
        }
        long mixed = (count * FACTOR) & MASK;
        mixed ^= mixed >>> HALF;
        mixed = (mixed * FACTOR) & MASK;
        mixed ^= mixed >>> HALF;
        return FIRST_ID + mixed;
    }

    /** The count that maps to this id; -1 if none does. */
    public static long countOf(long id) {
        long mixed = id - FIRST_ID;
        if (mixed < 0 || mixed > MASK) {
            return -1;
        }
        // A shift by half of the bits is its own inverse.
        mixed ^= mixed >>> HALF;
        mixed = (mixed * INVERSE) & MASK;
        mixed ^= mixed >>> HALF;
        return (mixed * INVERSE) & MASK;
    }

    /** By Newton's method: each round doubles the number of correct bits. */
    private static long inverse(long odd) {
        long inverse = odd;
        for (int round = 0; round < 6; round++) {
            inverse *= 2 - odd * inverse;
        }
        return inverse & MASK;
    }
}
