package petrichor.jobs.formats;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Collects bytes in a direct buffer, from which they are written without a copy: to a file of this
 * output alone, or at its offset in a file that several outputs write concurrently. Data that an
 * earlier output has left in the file is truncated. Belongs to one thread.
 */
final class FileOutput implements AutoCloseable {
    private static final int BUFFER_BYTES = 512 << 10;

    private final Path file;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private FileChannel channel;

    /** Whether data of an earlier output is still in the file. */
    private boolean stale = true;

    private long position;

    /** Offset of the next output's part, if there is one. */
    private long end = Long.MAX_VALUE;

    private boolean placed;

    FileOutput(Path file) throws IOException {
        this.file = file;
        this.channel = open(file);
    }

    // Not truncated yet: another output may already have written its part of the file.
    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    /**
     * Before anything is written: redirects the following bytes to an offset in a file of several
     * outputs, which may be the file of this one; otherwise this output's own file stays empty.
     */
    void place(Path whole, long offset, long bytes, long totalBytes) throws IOException {
        if (!whole.equals(file)) {
            channel.truncate(0);
            channel.close();
            channel = open(whole);
        }
        channel.truncate(totalBytes);
        stale = false;
        position = offset;
        end = offset + bytes;
        placed = true;
    }

    void write(byte[] bytes, int at, int length) throws IOException {
        if (length <= buffer.remaining()) {
            buffer.put(bytes, at, length);
            return;
        }
        int from = at;
        int left = length;
        while (left > 0) {
            if (!buffer.hasRemaining()) {
                flush();
            }
            int some = Math.min(left, buffer.remaining());
            buffer.put(bytes, from, some);
            from += some;
            left -= some;
        }
    }

    void write(byte value) throws IOException {
        if (!buffer.hasRemaining()) {
            flush();
        }
        buffer.put(value);
    }

    private void flush() throws IOException {
        if (stale) {
            channel.truncate(0);
            stale = false;
        }
        buffer.flip();
        if (buffer.remaining() > end - position) {
            throw misplaced("more");
        }
        while (buffer.hasRemaining()) {
            position += channel.write(buffer, position);
        }
        buffer.clear();
    }

    /** Writes the rest of the buffer. */
    void finish() throws IOException {
        flush();
        if (placed && position < end) {
            throw misplaced("less");
        }
    }

    /** Fails if the parts of the file would overlap or leave a gap. */
    private PetrichorException misplaced(String amount) {
        return PetrichorException.of(
                ErrorCode.INTERNAL,
                "a part of a file holds {amount} than its senders have counted",
                "file",
                file.toString(),
                "part ends at byte",
                end,
                "amount",
                amount);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
