package petrichor.transactions.rows;

import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.WriteBatch;
import petrichor.transactions.Row;

/**
 * The rows of one database in the process's {@link RowCache}. An entry is the newest version of its
 * row among all versions that this owner has published, so a reader at version S may use it exactly
 * if the entry's version is at most S; otherwise the reader queries its source.
 *
 * <p>Why that holds: the owner's commits replace the entries of their rows before their version is
 * published. A row that was read at S enters only if no commit above S has written a key of its
 * stripe, which the segment checks under the lock that commits take as well. Other owners' commits
 * have versions that no reader of this ownership reads at; when the database is taken back, {@link
 * #restart} begins a new era: entries of former eras are not used, and rows read before the version
 * at which the new era begins do not enter.
 *
 * <p>Thread-safe; only the thread that runs the sequencer writes and restarts.
 */
public final class CachedRows {
    /** A period of uninterrupted ownership, starting at a version. */
    private static final class Era {
        final long from;

        Era(long from) {
            this.from = from;
        }
    }

    private static final byte[] NO_KEY = {};

    private final RowCache cache;
    private final TableLayout layout;
    private volatile Era era = new Era(Long.MAX_VALUE);

    CachedRows(RowCache cache, TableLayout layout) {
        this.cache = cache;
        this.layout = layout;
    }

    /**
     * Call when the database was taken or taken back; {@code version} is that of its last commit.
     */
    public void restart(long version) {
        era = new Era(version);
    }

    /** The row as of this version; null on a cache miss. */
    @Nullable CachedRow find(Bytes key, long version) {
        CachedRow row = cache.find(key);
        if (row == null || row.version > version || row.era != era) {
            return null;
        }
        if (!row.visited) {
            row.visited = true;
        }
        return row;
    }

    /** Call when a step is durable and before its version is published. */
    public void committed(WriteBatch batch, long version) {
        Era now = era;
        for (WriteBatch.Op change : batch.ops()) {
            if (!change.table().equals(TableLayout.ROWS)) {
                continue;
            }
            switch (change) {
                case WriteBatch.Put(String _, byte[] key, byte[] value) ->
                        write(Bytes.of(key), value, now, version);
                case WriteBatch.Delete(String _, byte[] key) ->
                        write(Bytes.of(key), null, now, version);
                case WriteBatch.DeleteRange _ -> restart(version);
            }
        }
    }

    /**
     * Updates only rows that were cached by a read: most rows of a commit are index entries, never
     * read by key.
     */
    private void write(Bytes key, byte @Nullable [] stored, Era now, long version) {
        RowCacheSegment segment = cache.segmentOf(key);
        if (segment.written(key, version)) {
            // The key of the row is not used.
            Row row = stored == null ? null : layout.decoded(NO_KEY, stored);
            segment.update(
                    row == null
                            ? new CachedRow(key, now, version, null)
                            : new CachedRow(key, now, row.version(), row.value()));
        }
    }

    /**
     * @param row the row that a reader at {@code version} found; null if it does not exist
     */
    void read(Bytes key, @Nullable Row row, long version) {
        Era now = era;
        if (version >= now.from) {
            CachedRow found =
                    row == null
                            ? new CachedRow(key, now, version, null)
                            : new CachedRow(key, now, row.version(), row.value());
            cache.segmentOf(key).read(found, version);
        }
    }
}
