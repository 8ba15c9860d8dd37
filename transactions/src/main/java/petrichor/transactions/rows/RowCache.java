package petrichor.transactions.rows;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;

/**
 * Cache of the newest versions of recently used rows, shared by all databases of the process:
 * bounded in bytes, with SIEVE eviction (Zhang et al., NSDI 2024), which needs no lock for a hit.
 * Not a library cache, because its content must not depend on threads or timers: a simulation is
 * replayed from its seed.
 *
 * <p>{@link CachedRows} ensures correctness. Thread-safe.
 */
public final class RowCache {
    private static final int SEGMENTS_MAX = 64;

    /** A smaller segment would refuse rows of ordinary size. */
    private static final long SEGMENT_BYTES_MIN = 512 << 10;

    /**
     * Rows of one database share these; writing a row keeps all rows of its stripe that were read
     * earlier from entering.
     */
    private static final int STRIPES = 4_096;

    private final ConcurrentHashMap<Bytes, CachedRow> rows = new ConcurrentHashMap<>();
    private final RowCacheSegment[] segments;

    /**
     * @param bytesMax keys, values and their overhead; 0 for no cache
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

    /** The cached rows of a database of which this process has just become the owner. */
    public CachedRows ofDatabase(TableLayout layout) {
        return new CachedRows(this, layout);
    }

    @Nullable CachedRow find(Bytes key) {
        return rows.get(key);
    }

    RowCacheSegment segmentOf(Bytes key) {
        return segments[(key.hashCode() >>> 8) & segments.length - 1];
    }

    /** Keys, values and overhead of all cached rows. */
    long bytes() {
        long bytes = 0;
        for (RowCacheSegment segment : segments) {
            bytes += segment.bytes();
        }
        return bytes;
    }
}
