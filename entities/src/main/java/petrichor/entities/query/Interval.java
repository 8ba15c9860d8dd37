package petrichor.entities.query;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;

/**
 * Encoded values or key paths {@code from <= x < to} in unsigned order; a null {@code to} is
 * unbounded. Unlike a range of rows it may be empty. Value encodings are prefix-free, so that
 * "greater than v" is the same as "from the first bytes after everything that starts with v".
 */
record Interval(byte[] from, byte @Nullable [] to) {
    static final Interval ALL = new Interval(new byte[0], null);

    static Interval atLeast(byte[] value) {
        return new Interval(value, null);
    }

    static Interval above(byte[] value) {
        return new Interval(after(value), null);
    }

    static Interval below(byte[] value) {
        return new Interval(ALL.from, value);
    }

    static Interval atMost(byte[] value) {
        return new Interval(ALL.from, after(value));
    }

    static Interval startingWith(byte[] prefix) {
        return new Interval(prefix, Bytes.afterPrefix(prefix));
    }

    boolean isAll() {
        return from.length == 0 && to == null;
    }

    boolean isEmpty() {
        return to != null && Bytes.compare(from, to) >= 0;
    }

    boolean contains(byte[] value) {
        return contains(value, 0, value.length);
    }

    boolean contains(byte[] bytes, int start, int end) {
        return Arrays.compareUnsigned(from, 0, from.length, bytes, start, end) <= 0
                && (to == null || Arrays.compareUnsigned(bytes, start, end, to, 0, to.length) < 0);
    }

    Interval and(Interval other) {
        byte[] start = Bytes.compare(from, other.from) >= 0 ? from : other.from;
        byte[] end = to;
        if (end == null || (other.to != null && Bytes.compare(other.to, end) < 0)) {
            end = other.to;
        }
        return new Interval(start, end);
    }

    /** The same values in the inverted encoding of descending order. */
    Interval inverted() {
        return new Interval(
                to == null ? ALL.from : after(invert(to)),
                from.length == 0 ? null : after(invert(from)));
    }

    /** The same interval with a prefix before each value. */
    Interval behind(byte[] prefix) {
        return new Interval(
                Bytes.concat(prefix, from),
                to == null ? Bytes.afterPrefix(prefix) : Bytes.concat(prefix, to));
    }

    static byte[] invert(byte[] bytes) {
        return invert(bytes, 0, bytes.length);
    }

    static byte[] invert(byte[] bytes, int start, int end) {
        byte[] inverted = new byte[end - start];
        for (int i = 0; i < inverted.length; i++) {
            inverted[i] = (byte) ~bytes[start + i];
        }
        return inverted;
    }

    /** Every encoding starts with a type byte other than FF, so a successor always exists. */
    static byte[] after(byte[] prefix) {
        byte[] after = Bytes.afterPrefix(prefix);
        if (after == null) {
            throw new IllegalStateException("an encoded value starts with a type");
        }
        return after;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Interval interval
                && Arrays.equals(from, interval.from)
                && Arrays.equals(to, interval.to);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(from) + Arrays.hashCode(to);
    }
}
