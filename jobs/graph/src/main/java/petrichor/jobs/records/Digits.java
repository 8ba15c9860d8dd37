package petrichor.jobs.records;

/**
 * Parses up to eight digits at once: the bytes of a long, the first digit lowest (SWAR). Stateless.
 */
final class Digits {
    /** Not all bytes were digits. */
    static final long NONE = -1;

    private static final long ZEROS = 0x3030303030303030L;
    private static final long HIGH_HALVES = 0xF0F0F0F0F0F0F0F0L;
    private static final long LOW_HALVES = 0x0F0F0F0F0F0F0F0FL;

    /** Added to a digit it keeps the high half, added to a character after 9 it does not. */
    private static final long SIXES = 0x0606060606060606L;

    private Digits() {}

    /** The number in the lowest {@code count} (1 to 8) bytes, or {@link #NONE}. */
    static long value(long word, int count) {
        int unused = 8 * (8 - count);
        long digits = (word << unused) | (ZEROS & ((1L << unused) - 1));
        if ((digits & HIGH_HALVES) != ZEROS || ((digits + SIXES) & HIGH_HALVES) != ZEROS) {
            return NONE;
        }
        // Pairs of digits become two-digit numbers, then four-digit ones, then eight-digit ones.
        long pairs = ((digits & LOW_HALVES) * ((10 << 8) | 1)) >>> 8;
        long fours = ((pairs & 0x00FF00FF00FF00FFL) * ((100 << 16) | 1)) >>> 16;
        return ((fours & 0x0000FFFF0000FFFFL) * ((10_000L << 32) | 1)) >>> 32;
    }

    /** Removes this byte from the word: the following ones move up. */
    static long without(long word, int at) {
        long before = (1L << (8 * at)) - 1;
        return (word & before) | ((word >>> 8) & ~before);
    }
}
