package petrichor.kv.ranges;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.kv.KeyRange;

/**
 * Part of the stored content of a partition, including deletions: a page that a split copies.
 *
 * @param rangeDeletes of the whole partition, with the first page only
 * @param resumeFrom where the next page starts; null after the last one
 */
public record PartitionContents(
        List<StoredRow> rows, List<StoredRangeDelete> rangeDeletes, byte @Nullable [] resumeFrom) {

    /**
     * A row as stored.
     *
     * @param value null: deleted at this version, and older versions must not reappear
     * @param versioned whether it was written by {@code putIfNewer}
     * @param stamp orders it among the changes of its key
     */
    public record StoredRow(byte[] key, byte @Nullable [] value, boolean versioned, long stamp) {
        // Not the compact form: its class file would lack the nullness of the value.
        public StoredRow(byte[] key, byte @Nullable [] value, boolean versioned, long stamp) {
            this.key = key;
            this.value = value;
            this.versioned = versioned;
            this.stamp = stamp;
        }
    }

    /** A range deletion: older rows of this range must not reappear. */
    public record StoredRangeDelete(KeyRange range, long version) {}

    // Not the compact form: its class file would lack the nullness of resumeFrom.
    public PartitionContents(
            List<StoredRow> rows,
            List<StoredRangeDelete> rangeDeletes,
            byte @Nullable [] resumeFrom) {
        this.rows = List.copyOf(rows);
        this.rangeDeletes = List.copyOf(rangeDeletes);
        this.resumeFrom = resumeFrom;
    }
}
