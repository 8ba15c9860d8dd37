package petrichor.services.cache;

import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/** Counts hits and misses. Thread-safe. */
final class CacheCounters {
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder byteHits = new LongAdder();

    void hit(int bytes) {
        hits.increment();
        byteHits.add(bytes);
    }

    void miss() {
        misses.increment();
    }

    void reset() {
        hits.reset();
        misses.reset();
        byteHits.reset();
    }

    CacheStatistics statistics(Optional<CacheStatistics.Contents> contents) {
        return new CacheStatistics(hits.sum(), misses.sum(), byteHits.sum(), contents);
    }
}
