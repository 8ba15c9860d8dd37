package petrichor.testing.simulation;

/** The outcome of a durable step. */
enum StepFate {
    LANDS,
    /** Reported as failed, and not written. */
    FAILS,
    /** Reported as unknown; written. */
    UNKNOWN_LANDED,
    /** Reported as unknown; not written. */
    UNKNOWN_LOST,
    /** Reported as unknown; may be written at any later time. */
    UNKNOWN_LATE,
    /** Written; then the connection breaks. */
    BREAKS_LANDED,
    /** Written; then the process dies. */
    DIES_LANDED,
    /** The process dies; unsynced data is lost. */
    DIES_LOST,
    /** The process dies; its requests may arrive at any later time. */
    DIES_LATE
}
