package petrichor.frontends.appengine.memcache;

import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheStatsResponse;
import com.google.appengine.api.memcache.MemcacheServicePb.MergedNamespaceStats;
import petrichor.services.cache.CacheStatistics;

/** Statistics as messages. */
final class Statistics {
    private Statistics() {}

    /** Figures that the cache does not have are 0: SDKs expect all of them. */
    static MemcacheStatsResponse of(CacheStatistics statistics) {
        CacheStatistics.Contents contents =
                statistics.contents().orElse(new CacheStatistics.Contents(0, 0, 0));
        return MemcacheStatsResponse.newBuilder()
                .setStats(
                        MergedNamespaceStats.newBuilder()
                                .setHits(statistics.hits())
                                .setMisses(statistics.misses())
                                .setByteHits(statistics.byteHits())
                                .setItems(contents.items())
                                .setBytes(contents.bytes())
                                .setOldestItemAge((int) contents.oldestSeconds()))
                .build();
    }
}
