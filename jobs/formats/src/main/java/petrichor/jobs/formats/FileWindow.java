package petrichor.jobs.formats;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A piece of a file in memory that moves forward. What lies between {@link #at} and {@link #end} in
 * {@link #bytes} was read and not used. A compressed file is decompressed on the way. Belongs to
 * one thread.
 */
final class FileWindow implements AutoCloseable {
    /** Fits into the second cache beside what is made of it. */
    static final int WINDOW_BYTES = 256 << 10;

    /** Words of eight bytes may be read up to here behind the end. */
    private static final int SLACK_BYTES = 8;

    /** The longest record of text. */
    static final int RECORD_BYTES_MAX = 16 << 20;

    private final @Nullable FileChannel channel;
    private final @Nullable DecompressedInput decompressed;
    private ByteBuffer buffer;
    private long next;

    byte[] bytes;
    int at;
    int end;

    /**
     * @param from where to begin; 0 in a compressed file
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
        int read = read(kept);
        if (read <= 0) {
            return false;
        }
        next += read;
        end += read;
        return true;
    }

    private int read(int kept) throws IOException {
        int room = bytes.length - SLACK_BYTES - kept;
        if (decompressed != null) {
            return decompressed.read(bytes, kept, room);
        }
        buffer.limit(kept + room).position(kept);
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

    /** Where in the file, or in what a compressed file holds, {@link #at} is. */
    long position() {
        return next - (end - at);
    }

    /** How many bytes of the file lie before {@link #at}; about as many in a compressed file. */
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
