package petrichor.base;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Builds keys whose unsigned byte order is the order of the written parts. The encoding of a part
 * is never a prefix of another, so parts can be concatenated, and can be inverted for descending
 * order. Read back with {@link OrderedReader}. Confined to one thread.
 */
public final class OrderedWriter {
    /** Strings: 00 becomes 00 FF, and 00 01 ends them. */
    static final byte ESCAPE = 0x00;

    static final byte ESCAPED_ZERO = (byte) 0xFF;
    static final byte END = 0x01;

    private byte[] bytes;
    private int length;

    public OrderedWriter() {
        this(64);
    }

    public OrderedWriter(int expectedBytes) {
        bytes = new byte[expectedBytes];
    }

    public int length() {
        return length;
    }

    public OrderedWriter put(int oneByte) {
        reserve(1);
        bytes[length++] = (byte) oneByte;
        return this;
    }

    /** Four bytes, most significant first: the order of unsigned numbers. */
    public OrderedWriter putInt(int value) {
        reserve(4);
        for (int shift = 24; shift >= 0; shift -= 8) {
            bytes[length++] = (byte) (value >>> shift);
        }
        return this;
    }

    /** Eight bytes, most significant first: the order of unsigned numbers. */
    public OrderedWriter putLong(long value) {
        reserve(8);
        for (int shift = 56; shift >= 0; shift -= 8) {
            bytes[length++] = (byte) (value >>> shift);
        }
        return this;
    }

    /** UTF-8, so the order is that of code points. */
    public OrderedWriter putString(String value) {
        return putPlain(value) ? this : putString(value.getBytes(StandardCharsets.UTF_8));
    }

    /** Most strings are ASCII without NUL: their characters are their bytes. */
    private boolean putPlain(String value) {
        int chars = value.length();
        reserve(chars + 2);
        for (int i = 0; i < chars; i++) {
            char next = value.charAt(i);
            if (next == 0 || next >= 0x80) {
                return false;
            }
            bytes[length + i] = (byte) next;
        }
        length += chars;
        bytes[length++] = ESCAPE;
        bytes[length++] = END;
        return true;
    }

    public OrderedWriter putString(byte[] value) {
        reserve(2 * value.length + 2);
        for (byte b : value) {
            bytes[length++] = b;
            if (b == ESCAPE) {
                bytes[length++] = ESCAPED_ZERO;
            }
        }
        bytes[length++] = ESCAPE;
        bytes[length++] = END;
        return this;
    }

    /** Appends bytes that are already encoded. */
    public OrderedWriter putEncoded(byte[] encoded) {
        return putEncoded(encoded, 0, encoded.length);
    }

    public OrderedWriter putEncoded(byte[] encoded, int from, int to) {
        reserve(to - from);
        System.arraycopy(encoded, from, bytes, length, to - from);
        length += to - from;
        return this;
    }

    /** Inverts the order of everything written since {@code from}. */
    public OrderedWriter invertSince(int from) {
        for (int i = from; i < length; i++) {
            bytes[i] = (byte) ~bytes[i];
        }
        return this;
    }

    /** Discards everything written since {@code to}, so that a common prefix can be reused. */
    public OrderedWriter truncate(int to) {
        length = to;
        return this;
    }

    public byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    private void reserve(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
        }
    }
}
