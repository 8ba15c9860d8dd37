package petrichor.movement;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Writes records in LevelDB's log format; see {@link LogReader}. Confined to one thread. The caller
 * closes the stream.
 */
final class LogWriter {
    private final OutputStream out;
    private long bytes;

    LogWriter(OutputStream out) {
        this.out = out;
    }

    /** Number of bytes written so far. */
    long bytes() {
        return bytes;
    }

    void write(byte[] record) throws IOException {
        int from = 0;
        boolean first = true;
        do {
            int left = LogReader.BLOCK_BYTES - (int) (bytes % LogReader.BLOCK_BYTES);
            if (left < LogReader.HEADER_BYTES) {
                put(new byte[left]);
                left = LogReader.BLOCK_BYTES;
            }
            int length = Math.min(left - LogReader.HEADER_BYTES, record.length - from);
            boolean last = from + length == record.length;
            fragment(type(first, last), record, from, length);
            from += length;
            first = false;
        } while (from < record.length);
    }

    private static int type(boolean first, boolean last) {
        if (first) {
            return last ? LogReader.FULL : LogReader.FIRST;
        }
        return last ? LogReader.LAST : LogReader.MIDDLE;
    }

    private void fragment(int type, byte[] record, int from, int length) throws IOException {
        put(
                ByteBuffer.allocate(LogReader.HEADER_BYTES + length)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(LogReader.masked(type, record, from, length))
                        .putShort((short) length)
                        .put((byte) type)
                        .put(record, from, length)
                        .array());
    }

    private void put(byte[] more) throws IOException {
        out.write(more);
        bytes += more.length;
    }
}
