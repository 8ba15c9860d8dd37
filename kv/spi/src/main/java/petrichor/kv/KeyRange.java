package petrichor.kv;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;

/**
 * The keys {@code from <= key < to} in unsigned order; a null {@code to} means to the end of the
 * table. The arrays are shared, not copied: callers must not change them.
 */
public record KeyRange(byte[] from, byte @Nullable [] to) {
    /** Every key of a table. */
    public static final KeyRange ALL = new KeyRange(new byte[0], null);

    // Not the compact form: its class file would lack the nullness of the end.
    public KeyRange(byte[] from, byte @Nullable [] to) {
        Objects.requireNonNull(from);
        if (to != null && Bytes.compare(from, to) > 0) {
            throw new IllegalArgumentException("a range must not end before it starts");
        }
        this.from = from;
        this.to = to;
    }

    public static KeyRange ofPrefix(byte[] prefix) {
        return new KeyRange(prefix, Bytes.afterPrefix(prefix));
    }

    public static KeyRange ofKey(byte[] key) {
        return new KeyRange(key, Bytes.successor(key));
    }

    public boolean contains(byte[] key) {
        return Bytes.compare(from, key) <= 0 && (to == null || Bytes.compare(key, to) < 0);
    }

    public boolean isEmpty() {
        return to != null && Bytes.compare(from, to) == 0;
    }

    /** Whether only one key can be in it. */
    public boolean isOneKey() {
        int length = from.length;
        return to != null
                && to.length == length + 1
                && to[length] == 0
                && Arrays.equals(from, 0, length, to, 0, length);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof KeyRange range
                && Objects.deepEquals(from, range.from)
                && Objects.deepEquals(to, range.to);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(from) + Arrays.hashCode(to);
    }

    @Override
    public String toString() {
        HexFormat hex = HexFormat.of();
        return "[" + hex.formatHex(from) + ", " + (to == null ? "end" : hex.formatHex(to)) + ")";
    }
}
