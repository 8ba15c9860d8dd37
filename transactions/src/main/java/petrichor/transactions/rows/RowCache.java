package petrichor.transactions.rows;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;

/**
 * The newest versions of recently used rows, of all databases of the process: a cache above the
 * store, with a bound in bytes and eviction by SIEVE (Zhang et al., NSDI 2024), which needs no lock
 * for a hit. An own one because its content must not depend on threads or timers: a simulation is
 * replayed from its seed.
 *
 * <p>What makes it correct is in {@link CachedRows}. Safe for any thread.
 */
public final class RowCache {
    private static final int SEGMENTS_MAX = 64;

    /** A segment below this size would refuse rows that are not unusual. */
    private static final long SEGMENT_BYTES_MIN = 512 << 10;

    /**
     * Rows of one database share these; a row that was written keeps its stripe's from entering.
     */
    private static final int STRIPES = 4_096;

    private final ConcurrentHashMap<Bytes, CachedRow> rows = new ConcurrentHashMap<>();
    private final RowCacheSegment[] segments;

    /**
     * @param bytesMax keys, values and what it costs to keep them; 0 for no cache
     */
    public RowCache(long bytesMax) {
        int count = 1;
        while (count < SEGMENTS_MAX && bytesMax / (2L * count) >= SEGMENT_BYTES_MIN) {
            count *= 2;
        }
        segments = new RowCacheSegment[count];
        for (int i = 0; i < count; i++) {
            segments[i] = new RowCacheSegment(rows, bytesMax / count, STRIPES / count);
        }
    }

    /** The rows of one database, of which this process has just become the owner. */
    public CachedRows ofDatabase() {
        return new CachedRows(this);
    }

    @Nullable CachedRow find(Bytes key) {
        return rows.get(key);
    }

    RowCacheSegment segmentOf(Bytes key) {
        return segments[(key.hashCode() >>> 8) & segments.length - 1];
    }

    /** Keys, values and overhead of what is cached now. */
    long bytes() {
        long bytes = 0;
        for (RowCacheSegment segment : segments) {
            bytes += segment.bytes();
        }
        return bytes;
    }
}
