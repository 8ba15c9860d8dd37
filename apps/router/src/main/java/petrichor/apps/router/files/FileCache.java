package petrichor.apps.router.files;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Files in memory, at most a number of bytes; the least recently used ones go. Thread-safe. */
final class FileCache {
    /** For the entry itself, its names and its place in the map. */
    private static final int ENTRY_BYTES = 512;

    private static final float LOAD_FACTOR = 0.75f;
    private static final int CAPACITY = 64;

    private final long bytesMax;
    private final Map<Key, StaticFile> files = new LinkedHashMap<>(CAPACITY, LOAD_FACTOR, true);
    private long bytes;

    record Key(Path root, String relative) {}

    FileCache(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    synchronized @Nullable StaticFile get(Key key) {
        return files.get(key);
    }

    synchronized void put(Key key, StaticFile file) {
        StaticFile before = files.put(key, file);
        bytes += size(file) - (before == null ? 0 : size(before));
        Iterator<StaticFile> oldest = files.values().iterator();
        while (bytes > bytesMax && oldest.hasNext()) {
            bytes -= size(oldest.next());
            oldest.remove();
        }
    }

    synchronized long bytes() {
        return bytes;
    }

    private static long size(StaticFile file) {
        StaticFile.Contents contents = file.contents();
        return ENTRY_BYTES + (contents == null ? 0 : contents.bytes());
    }
}
