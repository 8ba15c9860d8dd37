package petrichor.cloud;

/** The state of a machine. It only advances; a report of an earlier state is stale. */
public enum InstanceState {
    /**
     * Launched, not yet usable. Some clouds bill in this state; Petrichor's start with {@link
     * #RUNNING}.
     */
    PENDING,
    RUNNING,
    /** Being terminated, by the lessee or by the cloud; it must not be used any more. */
    STOPPING,
    /** Terminated and no longer billed. */
    TERMINATED;

    /** Whether a machine observed in this state may later be observed in the other one. */
    public boolean mayBecome(InstanceState later) {
        return later.compareTo(this) >= 0;
    }

    /** Whether the machine is usable, now or soon. */
    public boolean alive() {
        return this == PENDING || this == RUNNING;
    }
}
