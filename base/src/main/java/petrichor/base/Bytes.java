package petrichor.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * An immutable byte string that can be a map key; ordered as unsigned bytes, shorter first. Hot
 * paths pass bare arrays and order them with {@link #compare}.
 */
public final class Bytes implements Comparable<Bytes> {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Odd, with irregular bits: 2^64 divided by the golden ratio. */
    private static final long HASH_FACTOR = 0x9E3779B97F4A7C15L;

    private final byte[] array;

    /** Computed on first use; 0 until then. Racing threads compute the same value. */
    private int hash;

    private Bytes(byte[] array) {
        this.array = array;
    }

    /** Wraps without a copy: the caller passes ownership of the array. */
    public static Bytes of(byte[] array) {
        return new Bytes(array);
    }

    /** The array itself, not a copy: the caller must not change it. */
    public byte[] array() {
        return array;
    }

    /** Unsigned lexicographic order, the only order of keys in this project. */
    public static int compare(byte[] left, byte[] right) {
        return Arrays.compareUnsigned(left, right);
    }

    /**
     * The smallest key that is greater than every key starting with {@code prefix}; null if none
     * exists (the prefix is empty or all 0xFF).
     *
     * <p>Does not change a copy of the prefix: twice in thousands of test runs, compiled code of
     * Java 25.0.3 read the last byte of the copy as zero.
     */
    public static byte @Nullable [] afterPrefix(byte[] prefix) {
        int last = prefix.length - 1;
        while (last >= 0 && prefix[last] == (byte) 0xFF) {
            last--;
        }
        if (last < 0) {
            return null;
        }
        byte[] after = new byte[last + 1];
        for (int i = 0; i < last; i++) {
            after[i] = prefix[i];
        }
        after[last] = (byte) (prefix[last] + 1);
        return after;
    }

    /** The smallest key greater than {@code key}: the key followed by a zero byte. */
    public static byte[] successor(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    public static boolean startsWith(byte[] key, byte[] prefix) {
        return key.length >= prefix.length
                && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }

    public static byte[] concat(byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        byte[] whole = new byte[length];
        int at = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, whole, at, part.length);
            at += part.length;
        }
        return whole;
    }

    @Override
    public int compareTo(Bytes other) {
        return compare(array, other.array);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes bytes && Arrays.equals(array, bytes.array);
    }

    /**
     * Hashes eight bytes at a time and mixes the result: row keys differ in a few bytes near their
     * end, for thousands of which {@link Arrays#hashCode(byte[])} returns the same value.
     */
    @Override
    public int hashCode() {
        int known = hash;
        if (known == 0) {
            known = hash(array);
            hash = known;
        }
        return known;
    }

    /** The hash of a {@link Bytes} of this array, for maps with bare arrays. */
    public static int hash(byte[] array) {
        long mixed = array.length;
        int at = 0;
        for (; at + Long.BYTES <= array.length; at += Long.BYTES) {
            mixed = mixed(mixed ^ (long) LONGS.get(array, at));
        }
        long rest = 0;
        for (; at < array.length; at++) {
            rest = rest << 8 | (array[at] & 0xFF);
        }
        mixed = mixed(mixed ^ rest);
        return (int) (mixed ^ mixed >>> 32);
    }

    private static long mixed(long value) {
        long product = value * HASH_FACTOR;
        return product ^ product >>> 29;
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(array);
    }
}
