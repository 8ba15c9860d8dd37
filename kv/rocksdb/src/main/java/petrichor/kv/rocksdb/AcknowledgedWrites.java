package petrichor.kv.rocksdb;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The sequence number of the newest acknowledged write, in the file {@code ACKNOWLEDGED} next to
 * the data. RocksDB takes the end of its write-ahead log for the end of the data: it cannot know
 * that a missing or truncated log once held more. Opening the folder compares its content with this
 * number.
 *
 * <p>A note is one small write without a sync, after the write-ahead log was synced. It survives a
 * crash of the process. After a power failure the file may be {@link #SYNC_INTERVAL_MS} behind (a
 * separate thread syncs it, not the writes), never ahead: a torn, unacknowledged tail of the log is
 * never reported as a loss. Without synced writes nothing is noted, except when the folder is
 * closed.
 *
 * <p>Thread-safe.
 */
final class AcknowledgedWrites implements AutoCloseable {
    static final String FILE = "ACKNOWLEDGED";

    /** After a power failure the file is at most this much behind. */
    static final long SYNC_INTERVAL_MS = 1_000;

    /** A sequence number and its checksum; within one sector, so that it is never torn. */
    private static final int BYTES = Long.BYTES + Integer.BYTES;

    private final RandomAccessFile file;
    private final ScheduledThreadPoolExecutor syncing;
    private long recorded;
    private volatile long synced;
    private boolean closed;

    private AcknowledgedWrites(RandomAccessFile file, long sequence) {
        this.file = file;
        this.recorded = sequence;
        this.synced = sequence;
        this.syncing =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().daemon().name("acknowledged-sync").factory());
        var _ =
                syncing.scheduleWithFixedDelay(
                        this::syncIfNeeded,
                        SYNC_INTERVAL_MS,
                        SYNC_INTERVAL_MS,
                        TimeUnit.MILLISECONDS);
    }

    /**
     * The sequence number that the folder must contain: null if the file does not exist, and 0 if
     * it is empty, by which an operator accepts a loss. Refuses a damaged file.
     */
    static @Nullable Long read(Path folder) {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(folder.resolve(FILE));
        } catch (NoSuchFileException none) {
            return null;
        } catch (IOException e) {
            throw RocksFailures.unusable(folder, e);
        }
        if (bytes.length == 0) {
            return 0L;
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (bytes.length != BYTES || buffer.getInt(Long.BYTES) != checksum(bytes)) {
            throw RocksFailures.damagedNote(folder);
        }
        return buffer.getLong(0);
    }

    /** Starts noting; the folder durably contains everything up to this number. */
    static AcknowledgedWrites start(Path folder, long sequence) throws IOException {
        Path path = folder.resolve(FILE);
        DataFormat.replace(folder, FILE, bytes(sequence));
        return new AcknowledgedWrites(new RandomAccessFile(path.toFile(), "rw"), sequence);
    }

    private static byte[] bytes(long sequence) {
        byte[] bytes = new byte[BYTES];
        ByteBuffer.wrap(bytes).putLong(sequence);
        ByteBuffer.wrap(bytes).putInt(Long.BYTES, checksum(bytes));
        return bytes;
    }

    private static int checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, Long.BYTES);
        return (int) crc.getValue();
    }

    /** Everything up to this number is synced, and about to be acknowledged. */
    synchronized void note(long sequence) throws IOException {
        if (sequence > recorded && !closed) {
            file.seek(0);
            file.write(bytes(sequence));
            recorded = sequence;
        }
    }

    /** Concurrent notes continue. */
    private void syncIfNeeded() {
        long current;
        synchronized (this) {
            current = recorded;
            if (current == synced || closed) {
                return;
            }
        }
        try {
            file.getFD().sync();
            synced = current;
        } catch (IOException e) {
            // The next note uses the same disk, and its writer gets the error.
            synced = 0;
        }
    }

    @Override
    public void close() {
        syncing.shutdownNow();
        syncIfNeeded();
        synchronized (this) {
            closed = true;
            try {
                file.close();
            } catch (IOException e) {
                // Everything was written; only the handle remains until the process ends.
                synced = 0;
            }
        }
    }
}
