package petrichor.transactions.locks;

/** Outcome of a wait for locks. */
public enum LockOutcome {
    /** The owner holds every requested lock. */
    GRANTED,

    /**
     * The wait limit or the caller's deadline passed, the caller disconnected, or too many waits
     * are open. Final: an automatic retry would only wait again.
     */
    TIMED_OUT,

    /** The wait would have closed a cycle through an explicit lock, which is never taken away. */
    DEADLOCK,

    /** An older owner took the locks, or the owner ended. A retry may succeed. */
    TAKEN
}
