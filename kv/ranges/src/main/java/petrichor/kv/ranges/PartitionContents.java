package petrichor.kv.ranges;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.kv.KeyRange;

/**
 * Everything that a part of a partition remembers, deletions included: what a split copies.
 *
 * @param rangeDeletes of the whole partition, with the first part only
 * @param resumeFrom where the next part begins; null after the last one
 */
public record PartitionContents(
        List<StoredRow> rows, List<StoredRangeDelete> rangeDeletes, byte @Nullable [] resumeFrom) {

    /**
     * A row as it is stored.
     *
     * @param value null: deleted at this version, and older versions must not come back
     * @param versioned whether it was written by {@code putIfNewer}
     * @param stamp how the store orders it among the changes of its key
     */
    public record StoredRow(byte[] key, byte @Nullable [] value, boolean versioned, long stamp) {
        // Not the compact form: its class file would not say that there may be no value.
        public StoredRow(byte[] key, byte @Nullable [] value, boolean versioned, long stamp) {
            this.key = key;
            this.value = value;
            this.versioned = versioned;
            this.stamp = stamp;
        }
    }

    /** Rows of this range that are older must not come back. */
    public record StoredRangeDelete(KeyRange range, long version) {}

    // Not the compact form: its class file would not say that there may be no next part.
    public PartitionContents(
            List<StoredRow> rows,
            List<StoredRangeDelete> rangeDeletes,
            byte @Nullable [] resumeFrom) {
        this.rows = List.copyOf(rows);
        this.rangeDeletes = List.copyOf(rangeDeletes);
        this.resumeFrom = resumeFrom;
    }
}
