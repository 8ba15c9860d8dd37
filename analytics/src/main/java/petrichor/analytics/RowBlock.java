package petrichor.analytics;

import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Rows on their way to the worker: the number of rows, the number of bytes, and for each row the
 * length of its key, the key, the length of its value (-1: it was removed), and the value. Confined
 * to one thread.
 */
final class RowBlock {
    private static final int BYTES_PER_BLOCK = 256 << 10;

    private final DataOutputStream out;
    private byte[] bytes = new byte[BYTES_PER_BLOCK];
    private int length;
    private int rows;

    RowBlock(DataOutputStream out) {
        this.out = out;
    }

    /** Adds a row, and sends the block if it is full. */
    void add(byte[] key, byte @Nullable [] value) throws IOException {
        int more = 2 * Integer.BYTES + key.length + (value == null ? 0 : value.length);
        if (length + more > bytes.length) {
            flush();
            if (more > bytes.length) {
                bytes = new byte[more];
            }
        }
        putInt(key.length);
        put(key);
        putInt(value == null ? -1 : value.length);
        if (value != null) {
            put(value);
        }
        if (++rows == Wire.BLOCK_ROWS) {
            flush();
        }
    }

    private void putInt(int value) {
        for (int shift = Integer.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            bytes[length++] = (byte) (value >>> shift);
        }
    }

    private void put(byte[] part) {
        System.arraycopy(part, 0, bytes, length, part.length);
        length += part.length;
    }

    void flush() throws IOException {
        if (rows > 0) {
            out.writeInt(rows);
            out.writeInt(length);
            out.write(bytes, 0, length);
            rows = 0;
            length = 0;
        }
        if (bytes.length > BYTES_PER_BLOCK) {
            bytes = Arrays.copyOf(bytes, BYTES_PER_BLOCK);
        }
    }
}
