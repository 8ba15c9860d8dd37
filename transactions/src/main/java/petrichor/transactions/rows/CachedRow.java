package petrichor.transactions.rows;

import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;

/**
 * A row in the {@link RowCache}, or the fact that the row does not exist. Readers only set {@code
 * visited}; the links are guarded by the segment's lock.
 */
final class CachedRow {
    /** Memory of an entry in addition to its key and value: objects, links, place in the table. */
    private static final int OVERHEAD_BYTES = 160;

    final Bytes key;

    /** The ownership under which it was added; entries of former ones are not used. */
    final Object era;

    /** The commit that wrote the row; for an absent row, a version at which it was absent. */
    final long version;

    final byte @Nullable [] value;

    /** Used since the eviction hand last passed. A lost update costs at worst one more read. */
    boolean visited;

    @Nullable CachedRow newer;
    @Nullable CachedRow older;

    CachedRow(Bytes key, Object era, long version, byte @Nullable [] value) {
        this.key = key;
        this.era = era;
        this.version = version;
        this.value = value;
    }

    long bytes() {
        return (long) OVERHEAD_BYTES + key.array().length + (value == null ? 0 : value.length);
    }
}
