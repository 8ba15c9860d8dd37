package petrichor.transactions.rows;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;

/**
 * A part of the {@link RowCache} with its own lock and bound: rows in insertion order, and the hand
 * that evicts those not used since it last passed (SIEVE eviction).
 */
final class RowCacheSegment {
    /** One row must not displace a large part of the others. */
    private static final int ROW_SHARE = 8;

    private final ConcurrentHashMap<Bytes, CachedRow> rows;
    private final long bytesMax;

    /** By stripe of keys: the highest version written, whether or not the row is still cached. */
    private final long[] written;

    private long bytes;
    private @Nullable CachedRow newest;
    private @Nullable CachedRow oldest;
    private @Nullable CachedRow hand;

    RowCacheSegment(ConcurrentHashMap<Bytes, CachedRow> rows, long bytesMax, int stripes) {
        this.rows = rows;
        this.bytesMax = bytesMax;
        this.written = new long[stripes];
    }

    /**
     * Records that the commit of {@code version} wrote the row; readers of that version come later.
     *
     * @return whether the row is cached, so that the caller must {@link #update} it
     */
    synchronized boolean written(Bytes key, long version) {
        int stripe = stripe(key);
        written[stripe] = Math.max(written[stripe], version);
        return rows.containsKey(key);
    }

    /** Called only by the committer, after {@link #written}. */
    synchronized void update(CachedRow row) {
        replace(row);
    }

    /** Adds a row that was read at {@code version}, unless it may have been written since. */
    synchronized void read(CachedRow row, long version) {
        if (written[stripe(row.key)] <= version) {
            CachedRow known = rows.get(row.key);
            if (known == null || !known.era.equals(row.era) || known.version < row.version) {
                replace(row);
            }
        }
    }

    synchronized long bytes() {
        return bytes;
    }

    private int stripe(Bytes key) {
        return (key.hashCode() >>> 16) % written.length;
    }

    private void replace(CachedRow row) {
        CachedRow former = rows.get(row.key);
        if (former != null) {
            unlink(former);
        }
        if (row.bytes() > bytesMax / ROW_SHARE) {
            rows.remove(row.key);
            return;
        }
        rows.put(row.key, row);
        link(row);
        while (bytes > bytesMax) {
            evict();
        }
    }

    private void link(CachedRow row) {
        row.older = newest;
        if (newest != null) {
            newest.newer = row;
        }
        newest = row;
        if (oldest == null) {
            oldest = row;
        }
        bytes += row.bytes();
    }

    private void unlink(CachedRow row) {
        if (hand == row) {
            hand = row.newer;
        }
        if (row.newer == null) {
            newest = row.older;
        } else {
            row.newer.older = row.older;
        }
        if (row.older == null) {
            oldest = row.newer;
        } else {
            row.older.newer = row.newer;
        }
        bytes -= row.bytes();
    }

    /** Moves from old to new and wraps around: each used row is spared once. */
    private void evict() {
        CachedRow candidate = hand == null ? oldest : hand;
        while (candidate != null && candidate.visited) {
            candidate.visited = false;
            candidate = candidate.newer == null ? oldest : candidate.newer;
        }
        if (candidate != null) {
            hand = candidate.newer;
            unlink(candidate);
            rows.remove(candidate.key);
        }
    }
}
