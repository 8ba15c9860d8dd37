package petrichor.services.cache;

import java.util.Optional;

/**
 * Statistics of an app's cache since its last flush, or since this server became the owner of the
 * app's database.
 *
 * @param hits keys found
 * @param misses keys not found
 * @param byteHits bytes of keys and values found
 * @param contents empty if the cache does not count by app
 */
public record CacheStatistics(long hits, long misses, long byteHits, Optional<Contents> contents) {
    /**
     * @param items including expired ones that were not removed yet
     * @param bytes of keys and values
     * @param oldestSeconds time since the last use of the item that was not used for the longest
     *     time
     */
    public record Contents(long items, long bytes, long oldestSeconds) {}
}
