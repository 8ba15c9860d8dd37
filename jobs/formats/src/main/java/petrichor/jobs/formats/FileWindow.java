package petrichor.jobs.formats;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * A piece of a file in memory that moves forward. What lies between {@link #at} and {@link #end} in
 * {@link #bytes} was read and not used. Belongs to one thread.
 */
final class FileWindow implements AutoCloseable {
    /** Fits into the second cache beside what is made of it. */
    private static final int WINDOW_BYTES = 256 << 10;

    /** Words of eight bytes may be read up to here behind the end. */
    private static final int SLACK_BYTES = 8;

    /** A record of text that is longer than this is no record. */
    private static final int RECORD_BYTES_MAX = 16 << 20;

    private final FileChannel channel;
    private ByteBuffer buffer;
    private long next;

    byte[] bytes;
    int at;
    int end;

    FileWindow(String file, long from) throws IOException {
        this.channel = FileChannel.open(Path.of(file), StandardOpenOption.READ);
        this.next = from;
        this.bytes = new byte[WINDOW_BYTES + SLACK_BYTES];
        this.buffer = ByteBuffer.wrap(bytes);
    }

    /**
     * Reads on: keeps what is not used, and adds to it.
     *
     * @return whether there was more
     */
    boolean more() throws IOException {
        int kept = end - at;
        if (kept > (bytes.length - SLACK_BYTES) / 2) {
            enlarge();
        }
        System.arraycopy(bytes, at, bytes, 0, kept);
        at = 0;
        end = kept;
        buffer.limit(bytes.length - SLACK_BYTES).position(kept);
        int read = channel.read(buffer, next);
        if (read <= 0) {
            return false;
        }
        next += read;
        end += read;
        return true;
    }

    private void enlarge() throws IOException {
        if (bytes.length > RECORD_BYTES_MAX) {
            throw new IOException(
                    "a record is longer than " + RECORD_BYTES_MAX + " bytes at byte " + position());
        }
        bytes = Arrays.copyOf(bytes, bytes.length * 2);
        buffer = ByteBuffer.wrap(bytes);
    }

    /** Where in the file {@link #at} is. */
    long position() {
        return next - (end - at);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
