package petrichor.cloud.leasing;

/** How far the lease of one machine is. */
public enum LeaseState {
    /** It is written down that a machine is asked for. Whether it was, only the cloud knows. */
    ASKED,
    /** There is a machine; its worker has not reported. */
    STARTING,
    /** Paid for, and without work. */
    IDLE,
    /** A stage has it. */
    USED,
    /** It gets no more work, and hands over what lies on it. */
    LEAVING,
    /** The cloud is asked for its end, until it says that the machine is gone. */
    ENDING,
    /** Nobody wants the machine that was asked for, and nobody knows whether there is one. */
    DOUBTED,
    /** There is nothing of it. */
    ENDED;

    boolean mayBecome(LeaseState next) {
        return switch (this) {
            case ASKED -> next == STARTING || next == DOUBTED || next == ENDED;
            case STARTING -> next == IDLE || next == ENDING;
            case IDLE -> next == USED || next == LEAVING || next == ENDING;
            case USED -> next == IDLE || next == LEAVING || next == ENDING;
            case LEAVING -> next == ENDING;
            case ENDING -> next == ENDED;
            case DOUBTED -> next == ENDING || next == ENDED;
            case ENDED -> false;
        };
    }
}
