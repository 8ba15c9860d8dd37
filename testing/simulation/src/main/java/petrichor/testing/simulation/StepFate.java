package petrichor.testing.simulation;

/** What becomes of a durable step. */
enum StepFate {
    LANDS,
    /** The store says that it failed, and it did. */
    FAILS,
    /** The store does not know; it is written. */
    UNKNOWN_LANDED,
    /** The store does not know; it is not written. */
    UNKNOWN_LOST,
    /** The store does not know; it may be written any time later. */
    UNKNOWN_LATE,
    /** The connection breaks after it was written. */
    BREAKS_LANDED,
    /** The process dies; it was written before. */
    DIES_LANDED,
    /** The process dies; what was not synced is lost. */
    DIES_LOST,
    /** The process dies; what it sent may arrive any time later. */
    DIES_LATE
}
