package petrichor.transactions.rows;

import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;

/**
 * A row in the {@link RowCache}, or the fact that no row exists. Readers only set {@code visited};
 * the links belong to the holder of the segment's lock.
 */
final class CachedRow {
    /** What an entry costs beside its key and value: objects, links, place in the table. */
    private static final int OVERHEAD_BYTES = 160;

    final Bytes key;

    /** The ownership under which it entered; an entry of a former one is not used. */
    final Object era;

    /** The commit that wrote the row; of an absent row, a version at which it was absent. */
    final long version;

    final byte @Nullable [] value;

    /** Used since the eviction hand came by. A lost update costs a re-read at worst. */
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
