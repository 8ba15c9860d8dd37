package petrichor.kv.rocksdb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A store's own metrics.
 *
 * @param diskBytes size of all files in the folder
 * @param writes batches written since opening; each waited for one sync of the log, possibly shared
 *     with batches of other threads
 * @param writtenBytes size of these batches
 * @param memtableBytes rows in memory that are not yet in a file
 * @param blockCacheBytes memory of the block cache, including memtables
 * @param openScans scans not yet closed
 * @param openViews views not yet closed
 * @param writesRefused why the store refuses writes; null while it accepts them
 */
public record RocksMetrics(
        long diskBytes,
        long writes,
        long writtenBytes,
        long memtableBytes,
        long blockCacheBytes,
        long openScans,
        long openViews,
        @Nullable String writesRefused) {

    static long diskBytes(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            // Files come and go concurrently; File.length() returns 0 for missing ones.
            return files.mapToLong(file -> file.toFile().length()).sum();
        } catch (IOException e) {
            throw RocksFailures.unusable(folder, e);
        }
    }
}
