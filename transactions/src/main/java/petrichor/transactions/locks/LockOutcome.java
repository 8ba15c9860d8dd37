package petrichor.transactions.locks;

/** How a wait for locks ended. */
public enum LockOutcome {
    /** The owner holds every lock that it asked for. */
    GRANTED,

    /**
     * The longest wait or the caller's deadline passed, the caller left, or too many wait already.
     * Final: an automatic repetition would only wait again.
     */
    TIMED_OUT,

    /** An older owner took the locks, or the owner ended. A repetition may succeed. */
    TAKEN
}
