package petrichor.cloud;

/** The state of a machine. It only advances; a report of an earlier state is stale. */
public enum InstanceState {
    /** Launched, not yet usable. Some clouds bill from here, ours from {@link #RUNNING}. */
    PENDING,
    RUNNING,
    /** It is being ended, by us or by the cloud; nothing more may be expected of it. */
    STOPPING,
    /** It is gone, and costs nothing any more. */
    TERMINATED;

    /** Whether a machine that was seen in this state may be seen in that one later. */
    public boolean mayBecome(InstanceState later) {
        return later.compareTo(this) >= 0;
    }

    /** Whether it may still be used, now or soon. */
    public boolean alive() {
        return this == PENDING || this == RUNNING;
    }
}
