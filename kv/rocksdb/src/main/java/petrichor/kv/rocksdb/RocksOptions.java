package petrichor.kv.rocksdb;

/**
 * The limits of a {@link RocksStore}. Its memory is bounded by {@code blockCacheBytes} (which
 * includes write buffers) plus that of open scans.
 *
 * @param blockCacheBytes uncompressed blocks, indexes and filters cached for reading, and rows not
 *     yet flushed
 * @param writeBufferBytes rows of all tables in memory that wait to be flushed to a file
 * @param walBytesMax maximum write-ahead log that a restart replays; at about 100 MB/s this
 *     determines the duration of a start after a crash
 * @param openFilesMax files kept open
 * @param backgroundJobs threads for flushing and compacting
 * @param sync whether a write waits for the disk; without it a power failure loses the last writes,
 *     and the store reports that it is not durable
 * @param infoLogBytesMax size at which RocksDB's own log file is rotated
 * @param infoLogFiles how many rotated log files are kept
 */
public record RocksOptions(
        long blockCacheBytes,
        long writeBufferBytes,
        long walBytesMax,
        int openFilesMax,
        int backgroundJobs,
        boolean sync,
        long infoLogBytesMax,
        int infoLogFiles) {
    private static final long MIB = 1 << 20;

    public static final RocksOptions DEFAULT =
            new RocksOptions(128 * MIB, 64 * MIB, 64 * MIB, 512, 2, true, MIB, 3);

    public RocksOptions {
        requireAtLeast("blockCacheBytes", blockCacheBytes, MIB);
        requireAtLeast("writeBufferBytes", writeBufferBytes, MIB);
        requireAtLeast("walBytesMax", walBytesMax, MIB);
        requireAtLeast("openFilesMax", openFilesMax, 32);
        requireAtLeast("backgroundJobs", backgroundJobs, 1);
        requireAtLeast("infoLogBytesMax", infoLogBytesMax, 1 << 10);
        requireAtLeast("infoLogFiles", infoLogFiles, 1);
        if (writeBufferBytes > blockCacheBytes) {
            throw new IllegalArgumentException(
                    "writeBufferBytes is a part of blockCacheBytes and must not be greater");
        }
    }

    private static void requireAtLeast(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(
                    name + " must be at least " + least + ", not " + value);
        }
    }

    public RocksOptions withBlockCacheBytes(long bytes) {
        return new RocksOptions(
                bytes,
                Math.min(writeBufferBytes, bytes),
                walBytesMax,
                openFilesMax,
                backgroundJobs,
                sync,
                infoLogBytesMax,
                infoLogFiles);
    }

    public RocksOptions withWriteBufferBytes(long bytes) {
        return new RocksOptions(
                blockCacheBytes,
                bytes,
                walBytesMax,
                openFilesMax,
                backgroundJobs,
                sync,
                infoLogBytesMax,
                infoLogFiles);
    }

    public RocksOptions withOpenFilesMax(int files) {
        return new RocksOptions(
                blockCacheBytes,
                writeBufferBytes,
                walBytesMax,
                files,
                backgroundJobs,
                sync,
                infoLogBytesMax,
                infoLogFiles);
    }

    public RocksOptions withSync(boolean newSync) {
        return new RocksOptions(
                blockCacheBytes,
                writeBufferBytes,
                walBytesMax,
                openFilesMax,
                backgroundJobs,
                newSync,
                infoLogBytesMax,
                infoLogFiles);
    }
}
