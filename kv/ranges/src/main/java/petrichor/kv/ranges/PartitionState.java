package petrichor.kv.ranges;

/** Life cycle of a partition: states change only in this order. */
public enum PartitionState {
    /** Being filled by a split; not in the directory yet. */
    NEW,

    /** Read and written. */
    OPEN,

    /**
     * Read-only: its rows are being copied to the partitions that replace it. A reader must check
     * whether they have replaced it already.
     */
    SEALED,

    /** Replaced, dropped, or never created. */
    GONE
}
