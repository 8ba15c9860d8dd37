package petrichor.jobs.formats;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Collects bytes in a buffer outside of the heap, from where they are written without a copy. */
final class FileOutput implements AutoCloseable {
    private static final int BUFFER_BYTES = 512 << 10;

    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);

    FileOutput(Path file) throws IOException {
        this.channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE);
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

    void flush() throws IOException {
        buffer.flip();
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
        buffer.clear();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
