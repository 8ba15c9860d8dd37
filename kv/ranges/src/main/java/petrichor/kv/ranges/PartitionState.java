package petrichor.kv.ranges;

/** Where a partition is in its life, which goes one way only. */
public enum PartitionState {
    /** Being filled by a split; not in the directory yet. */
    NEW,

    /** Read and written. */
    OPEN,

    /**
     * Read, but no longer changed: its rows are being copied to the partitions that replace it. Who
     * reads it must find out whether they have replaced it already.
     */
    SEALED,

    /** Replaced or dropped, or never made. */
    GONE
}
