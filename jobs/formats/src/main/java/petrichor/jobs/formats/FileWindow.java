package petrichor.jobs.formats;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A window into a file that moves forward. The bytes between {@link #at} and {@link #end} in {@link
 * #bytes} were read and not consumed. A compressed file is decompressed on the fly. Belongs to one
 * thread.
 */
final class FileWindow implements AutoCloseable {
    /** Fits into the second-level cache together with its output. */
    static final int WINDOW_BYTES = 256 << 10;

    /** Words of eight bytes may be read up to here after the end. */
    private static final int SLACK_BYTES = 8;

    /** Length of the longest record of text. */
    static final int RECORD_BYTES_MAX = 16 << 20;

    private final @Nullable FileChannel channel;
    private final @Nullable DecompressedInput decompressed;
    private ByteBuffer buffer;
    private long next;

    byte[] bytes;
    int at;
    int end;

    /**
     * @param from start position; 0 in a compressed file
     */
    FileWindow(FileSplit split, long from, int windowBytes) throws IOException {
        if (split.isCompressed()) {
            this.channel = null;
            this.decompressed = new DecompressedInput(split.file(), split.compression());
        } else {
            this.channel = FileChannel.open(Path.of(split.file()), StandardOpenOption.READ);
            this.decompressed = null;
        }
        this.next = from;
        this.bytes = new byte[windowBytes + SLACK_BYTES];
        this.buffer = ByteBuffer.wrap(bytes);
    }

    FileWindow(FileSplit split, long from) throws IOException {
        this(split, from, WINDOW_BYTES);
    }

    /**
     * Reads more: keeps the unconsumed bytes, and appends to them.
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
        int read = read(kept);
        if (read <= 0) {
            return false;
        }
        next += read;
        end += read;
        return true;
    }

    private int read(int kept) throws IOException {
        int free = bytes.length - SLACK_BYTES - kept;
        if (decompressed != null) {
            return decompressed.read(bytes, kept, free);
        }
        buffer.limit(kept + free).position(kept);
        return channel == null ? 0 : channel.read(buffer, next);
    }

    private void enlarge() throws IOException {
        if (bytes.length > RECORD_BYTES_MAX) {
            throw new IOException(
                    "a record is longer than " + RECORD_BYTES_MAX + " bytes at " + place());
        }
        bytes = Arrays.copyOf(bytes, bytes.length * 2);
        buffer = ByteBuffer.wrap(bytes);
    }

    /** Position of {@link #at} in the file, or in the decompressed data. */
    long position() {
        return next - (end - at);
    }

    /** Number of the file's bytes before {@link #at}; approximate for a compressed file. */
    long fileBytes() {
        if (decompressed == null) {
            return position();
        }
        return next == 0 ? 0 : (long) ((double) decompressed.compressedBytes() * position() / next);
    }

    /** {@link #position} for messages. */
    String place() {
        return decompressed == null
                ? "byte " + position()
                : "byte " + position() + " of the decompressed data";
    }

    @Override
    public void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
        if (decompressed != null) {
            decompressed.close();
        }
    }
}
