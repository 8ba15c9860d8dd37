package petrichor.base;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Reads the parts that {@link OrderedWriter} wrote. Bytes that it cannot have written are {@link
 * ErrorCode#INTERNAL}: the store is damaged. Confined to one thread.
 */
public final class OrderedReader {
    private final byte[] bytes;
    private final int end;
    private int at;
    private int mask;

    public OrderedReader(byte[] bytes, int from) {
        this.bytes = bytes;
        this.at = from;
        this.end = bytes.length;
    }

    public int position() {
        return at;
    }

    public boolean atEnd() {
        return at >= end;
    }

    /** Whether the bytes from here on are inverted. */
    public OrderedReader inverted(boolean inverted) {
        mask = inverted ? 0xFF : 0;
        return this;
    }

    /** The next byte, 0 to 255. */
    public int take() {
        if (at >= end) {
            throw damaged("it ends too early");
        }
        return (bytes[at++] & 0xFF) ^ mask;
    }

    public int takeInt() {
        int value = 0;
        for (int i = 0; i < 4; i++) {
            value = value << 8 | take();
        }
        return value;
    }

    public long takeLong() {
        long value = 0;
        for (int i = 0; i < 8; i++) {
            value = value << 8 | take();
        }
        return value;
    }

    public String takeString() {
        return new String(takeStringBytes(), StandardCharsets.UTF_8);
    }

    public byte[] takeStringBytes() {
        int from = at;
        int zeros = skipString();
        byte[] value = new byte[at - from - 2 - zeros];
        int source = from;
        for (int i = 0; i < value.length; i++) {
            value[i] = (byte) (bytes[source] ^ mask);
            source += value[i] == OrderedWriter.ESCAPE ? 2 : 1;
        }
        return value;
    }

    /** Returns the number of escaped zeros. */
    public int skipString() {
        int zeros = 0;
        while (true) {
            if (take() != OrderedWriter.ESCAPE) {
                continue;
            }
            int next = take();
            if (next == OrderedWriter.END) {
                return zeros;
            }
            if ((byte) next != OrderedWriter.ESCAPED_ZERO) {
                throw damaged("a zero byte is followed by " + next);
            }
            zeros++;
        }
    }

    public void skip(int count) {
        if (count > end - at) {
            throw damaged("it ends too early");
        }
        at += count;
    }

    /** The rest, unchanged. */
    public byte[] rest() {
        return Arrays.copyOfRange(bytes, at, end);
    }

    public PetrichorException damaged(String what) {
        return PetrichorException.of(
                ErrorCode.INTERNAL,
                "A stored key is damaged: {problem} at byte {at}.",
                "problem",
                what,
                "at",
                at,
                "key",
                HexFormat.of().formatHex(bytes));
    }
}
