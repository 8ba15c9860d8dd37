package petrichor.apps.builds;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts the builds that use an entry of the cache, which is not evicted meanwhile. Thread-safe.
 */
final class CacheUses {
    private final Map<Path, Integer> counts = new HashMap<>();

    /** One build's use of an entry. */
    final class Use implements AutoCloseable {
        private final Path entry;

        private Use(Path entry) {
            this.entry = entry;
        }

        @Override
        public void close() {
            synchronized (CacheUses.this) {
                counts.computeIfPresent(entry, (_, count) -> count == 1 ? null : count - 1);
            }
        }
    }

    /** Keeps the entry, which need not exist yet. */
    synchronized Use of(Path entry) {
        int _ = counts.merge(entry, 1, Integer::sum);
        return new Use(entry);
    }

    /** Moves an entry away unless a build uses it; false if one does. */
    synchronized boolean remove(Path entry, Path to) throws IOException {
        if (counts.containsKey(entry)) {
            return false;
        }
        if (Files.exists(entry)) {
            Path _ = Files.move(entry, to, StandardCopyOption.ATOMIC_MOVE);
        }
        return true;
    }
}
