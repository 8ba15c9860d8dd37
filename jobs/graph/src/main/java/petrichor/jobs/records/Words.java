package petrichor.jobs.records;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Numbers in byte arrays, little-endian, at any offset; and SWAR operations on the eight bytes of a
 * long, which replace loops over bytes. Stateless.
 */
public final class Words {
    private static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long LOW_BITS = 0x7F7F7F7F7F7F7F7FL;
    private static final long HIGH_BITS = ~LOW_BITS;

    private Words() {}

    public static int int32(byte[] base, int at) {
        return (int) INTS.get(base, at);
    }

    public static void int32(byte[] base, int at, int value) {
        INTS.set(base, at, value);
    }

    public static long int64(byte[] base, int at) {
        return (long) LONGS.get(base, at);
    }

    public static void int64(byte[] base, int at, long value) {
        LONGS.set(base, at, value);
    }

    /** The same byte eight times: a pattern for {@link #matches}. */
    public static long pattern(int value) {
        return ONES * (value & 0xFF);
    }

    /**
     * Sets the highest bit of every byte of the word that equals the pattern's; exact, without
     * false positives.
     */
    public static long matches(long word, long pattern) {
        long x = word ^ pattern;
        return ~(((x & LOW_BITS) + LOW_BITS) | x | LOW_BITS);
    }

    /** The index of the first byte that {@link #matches} marked: 0 to 7, or 8 for none. */
    public static int first(long matches) {
        return Long.numberOfTrailingZeros(matches) >>> 3;
    }

    /**
     * As {@link #matches}, but cheaper: marks the first match, and possibly false ones after it.
     */
    private static long firstMatch(long word, long pattern) {
        long x = word ^ pattern;
        return (x - ONES) & ~x & HIGH_BITS;
    }

    /** Position of the byte in [from, to), or to if it does not occur. */
    public static int find(byte[] base, int from, int to, long pattern) {
        int at = from;
        for (; at + 16 <= to; at += 16) {
            long found = firstMatch(int64(base, at), pattern);
            long further = firstMatch(int64(base, at + 8), pattern);
            if ((found | further) != 0) {
                return found != 0 ? at + first(found) : at + 8 + first(further);
            }
        }
        if (at + 8 <= to) {
            long found = firstMatch(int64(base, at), pattern);
            if (found != 0) {
                return at + first(found);
            }
            at += 8;
        }
        return at >= to ? to : rest(base, at, to, pattern);
    }

    /**
     * Position of a byte in [from, to) that equals the pattern's in the bits of the mask, or to if
     * there is none. One pass finds bytes that differ in a few bits, and some others.
     */
    public static int findMasked(byte[] base, int from, int to, long mask, long pattern) {
        int at = from;
        for (; at + 16 <= to; at += 16) {
            long found = firstMatch(int64(base, at) & mask, pattern);
            long further = firstMatch(int64(base, at + 8) & mask, pattern);
            if ((found | further) != 0) {
                return found != 0 ? at + first(found) : at + 8 + first(further);
            }
        }
        for (; at < to; at += 8) {
            long found = firstMatch(tail(base, at, Math.min(8, to - at)) & mask, pattern);
            if (found != 0) {
                return Math.min(to, at + first(found));
            }
        }
        return to;
    }

    /** The same for fewer than eight bytes: the bytes after them are ignored. */
    private static int rest(byte[] base, int from, int to, long pattern) {
        return Math.min(to, from + first(firstMatch(tail(base, from, to - from), pattern)));
    }

    /**
     * The last {@code count} (0 to 8) bytes before {@code end}, the first of them lowest, without
     * reading outside [0, array length).
     */
    public static long tail(byte[] base, int from, int count) {
        if (count >= 8) {
            return int64(base, from);
        }
        if (from + 8 <= base.length) {
            return int64(base, from) & ((1L << (8 * count)) - 1);
        }
        long word = 0;
        for (int i = count - 1; i >= 0; i--) {
            word = word << 8 | (base[from + i] & 0xFF);
        }
        return word;
    }

    /** Mixes all bits, so that any part of the result serves as a hash. */
    public static long mix(long value) {
        long x = (value ^ (value >>> 32)) * 0x9FB21C651E98DF25L;
        x ^= x >>> 29;
        x *= 0xD6E8FEB86659FD93L;
        return x ^ (x >>> 32);
    }
}
