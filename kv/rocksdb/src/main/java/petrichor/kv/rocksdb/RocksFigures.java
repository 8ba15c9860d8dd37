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
 * @param writes batches written since opening; each waited for one sync of the log, which batches
 *     of several threads may have shared
 * @param writtenBytes size of these batches
 * @param memtableBytes rows in memory that are not yet in a file
 * @param blockCacheBytes memory of the block cache, of which memtables are a part
 * @param openScans scans not yet closed
 * @param openViews views not yet closed
 * @param writesRefused why the store takes no writes any more; null while it does
 */
public record RocksFigures(
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
            // Files come and go meanwhile; File.length() says 0 of those that are gone.
            return files.mapToLong(file -> file.toFile().length()).sum();
        } catch (IOException e) {
            throw RocksFailures.unusable(folder, e);
        }
    }
}
