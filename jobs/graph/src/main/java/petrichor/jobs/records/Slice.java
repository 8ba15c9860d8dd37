package petrichor.jobs.records;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import petrichor.base.PetrichorException;

/**
 * A movable view of bytes in a record or a buffer: user code accesses a text without creating a
 * String. Valid as long as the record from which it was taken; belongs to one thread.
 */
public final class Slice implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final byte[] NOTHING = {};

    private byte[] base = NOTHING;
    private int at;
    private int length;

    public Slice() {}

    /** A constant slice for comparisons: {@code Slice.of("BUILDING")}. */
    public static Slice of(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new Slice().over(bytes, 0, bytes.length);
    }

    /** Moves this view; the caller keeps the ownership of the bytes. */
    public Slice over(byte[] newBase, int newAt, int newLength) {
        base = newBase;
        at = newAt;
        length = newLength;
        return this;
    }

    /** Narrows this view to a part of itself. */
    public Slice part(int from, int to) {
        if (from < 0 || to < from || to > length) {
            throw PetrichorException.invalid(
                    "bytes {from} to {to} are outside of the slice of {length} bytes",
                    "from",
                    from,
                    "to",
                    to,
                    "length",
                    length);
        }
        at += from;
        length = to - from;
        return this;
    }

    public int length() {
        return length;
    }

    public boolean isEmpty() {
        return length == 0;
    }

    public byte byteAt(int index) {
        if (index < 0 || index >= length) {
            throw PetrichorException.invalid(
                    "byte {index} of a slice of {length} bytes", "index", index, "length", length);
        }
        return base[at + index];
    }

    /** The underlying array; the first byte is at {@link #at()}. */
    public byte[] base() {
        return base;
    }

    public int at() {
        return at;
    }

    public boolean equalsBytes(Slice other) {
        return equal(base, at, length, other.base, other.at, other.length);
    }

    static boolean equal(
            byte[] left, int leftAt, int leftLength, byte[] right, int rightAt, int rightLength) {
        if (leftLength != rightLength) {
            return false;
        }
        int i = 0;
        for (; i + 8 <= leftLength; i += 8) {
            if (Words.int64(left, leftAt + i) != Words.int64(right, rightAt + i)) {
                return false;
            }
        }
        int rest = leftLength - i;
        return rest == 0
                || Words.tail(left, leftAt + i, rest) == Words.tail(right, rightAt + i, rest);
    }

    /** Orders by unsigned bytes, a prefix first: the order of UTF-8's code points. */
    public int compareBytes(Slice other) {
        return compare(base, at, length, other.base, other.at, other.length);
    }

    static int compare(
            byte[] left, int leftAt, int leftLength, byte[] right, int rightAt, int rightLength) {
        if (leftLength >= Long.BYTES && rightLength >= Long.BYTES) {
            long first = Words.int64(left, leftAt);
            long second = Words.int64(right, rightAt);
            if (first != second) {
                return Long.compareUnsigned(Long.reverseBytes(first), Long.reverseBytes(second));
            }
        }
        return Arrays.compareUnsigned(
                left, leftAt, leftAt + leftLength, right, rightAt, rightAt + rightLength);
    }

    public long hash() {
        return hash(base, at, length);
    }

    static long hash(byte[] base, int at, int length) {
        long hash = length;
        int i = 0;
        for (; i + 8 <= length; i += 8) {
            hash = Words.mix(hash ^ Words.int64(base, at + i));
        }
        return Words.mix(hash ^ Words.tail(base, at + i, length - i));
    }

    /** Parses an integer: an optional sign and digits, nothing else. */
    public long parseInt64() {
        return DecimalText.int64(this);
    }

    /** Parses a number: 12, -0.05, 1e9. */
    public double parseFloat64() {
        return DecimalText.float64(this);
    }

    /**
     * Parses a number with at most {@code scale} decimal digits, as a count of its smallest units.
     */
    public long parseDecimal(int scale) {
        return DecimalText.decimal(this, scale);
    }

    /** User code may keep slices: serialization copies their content, not the underlying array. */
    private Object writeReplace() {
        return new Slice().over(toBytes(), 0, length);
    }

    /** A copy of the bytes. */
    public byte[] toBytes() {
        return Arrays.copyOfRange(base, at, at + length);
    }

    /** The bytes as text; allocates. */
    @Override
    public String toString() {
        return new String(base, at, length, StandardCharsets.UTF_8);
    }
}
