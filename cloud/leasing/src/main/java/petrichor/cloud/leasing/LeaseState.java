package petrichor.cloud.leasing;

/** The state of the lease of one machine. */
public enum LeaseState {
    /** The request is recorded. Only the cloud knows whether it was sent. */
    REQUESTED("ASKED"),
    /** The machine exists; its worker has not registered. */
    STARTING("STARTING"),
    /** Running and billed, but not used. */
    IDLE("IDLE"),
    /** Used by a stage. */
    USED("USED"),
    /** Receives no more work and hands over its data. */
    LEAVING("LEAVING"),
    /** Termination is requested until the cloud confirms it. */
    ENDING("ENDING"),
    /** The requested machine is no longer needed, and may or may not exist. */
    UNCONFIRMED("DOUBTED"),
    /** The machine does not exist. */
    ENDED("ENDED");

    /** As in journals of earlier versions. */
    private final String recorded;

    LeaseState(String recorded) {
        this.recorded = recorded;
    }

    /** The name in the journal. */
    String recorded() {
        return recorded;
    }

    /** IllegalArgumentException for an unknown name. */
    static LeaseState ofRecord(String recorded) {
        for (LeaseState each : values()) {
            if (each.recorded.equals(recorded)) {
                return each;
            }
        }
        throw new IllegalArgumentException(recorded);
    }

    boolean mayBecome(LeaseState next) {
        return switch (this) {
            case REQUESTED -> next == STARTING || next == UNCONFIRMED || next == ENDED;
            case STARTING -> next == IDLE || next == ENDING;
            case IDLE -> next == USED || next == LEAVING || next == ENDING;
            case USED -> next == IDLE || next == LEAVING || next == ENDING;
            case LEAVING -> next == ENDING;
            case ENDING -> next == ENDED;
            case UNCONFIRMED -> next == ENDING || next == ENDED;
            case ENDED -> false;
        };
    }
}
