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
 * The sequence number of the newest acknowledged write, in the file {@code ACKNOWLEDGED} beside the
 * data. RocksDB takes the end of its write-ahead log for the end of the data: it cannot know that a
 * log that is missing or shorter once held more. Opening the folder compares its content with this
 * number.
 *
 * <p>A note is one small write without a sync, after the write-ahead log was synced. It survives
 * the death of the process. After a power failure the file may be {@link #SYNC_INTERVAL_MS} behind
 * (it is synced by a thread of its own, not by the writes), never ahead: a torn, unacknowledged
 * tail of the log is never taken for a loss. Without synced writes nothing is noted, except when
 * the folder is closed.
 *
 * <p>Safe for any thread.
 */
final class AcknowledgedWrites implements AutoCloseable {
    static final String FILE = "ACKNOWLEDGED";

    /** A loss of power makes the file forget at most so much. */
    static final long SYNC_INTERVAL_MS = 1_000;

    /** A sequence number and its checksum; within one sector, so that it is never half written. */
    private static final int BYTES = Long.BYTES + Integer.BYTES;

    private final RandomAccessFile file;
    private final ScheduledThreadPoolExecutor syncing;
    private long noted;
    private volatile long synced;
    private boolean closed;

    private AcknowledgedWrites(RandomAccessFile file, long sequence) {
        this.file = file;
        this.noted = sequence;
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
     * What the folder must hold: null if there is no file, and 0 if it is empty, by which an
     * operator accepts a loss. A damaged file is refused.
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

    /** Begins to note; the folder holds everything up to this number, durably. */
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
        if (sequence > noted && !closed) {
            file.seek(0);
            file.write(bytes(sequence));
            noted = sequence;
        }
    }

    /** Notes continue meanwhile. */
    private void syncIfNeeded() {
        long current;
        synchronized (this) {
            current = noted;
            if (current == synced || closed) {
                return;
            }
        }
        try {
            file.getFD().sync();
            synced = current;
        } catch (IOException e) {
            // The next note meets the same disk, and its writer gets the error.
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
                // Everything was written; only the handle is left, for the process's end.
                synced = 0;
            }
        }
    }
}
