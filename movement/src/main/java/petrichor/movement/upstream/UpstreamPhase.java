package petrichor.movement.upstream;

/** How far the move of a database from the upstream has come. */
public enum UpstreamPhase {
    /** The upstream answers; nothing is copied. */
    FORWARDING,
    /** The upstream answers; its entities are being copied. */
    COPY,
    /** The upstream answers; entities written meanwhile are being copied. */
    CATCH_UP,
    /** The upstream answers; both sides are being compared. */
    VERIFY,
    /** The upstream answers; this server follows, and both sides were equal. */
    READY,
    /** This server answers; the upstream follows. */
    REVERSIBLE,
    /** On the way back: neither side accepts commits. */
    REVERSING,
    /** This server answers; the upstream is not used any more. */
    COMPLETED;

    /** Whether the upstream answers reads and accepts commits. */
    boolean upstreamLeads() {
        return switch (this) {
            case FORWARDING, COPY, CATCH_UP, VERIFY, READY -> true;
            case REVERSIBLE, REVERSING, COMPLETED -> false;
        };
    }

    /** Whether this server stores the keys of forwarded commits. */
    boolean captures() {
        return upstreamLeads() && this != FORWARDING;
    }

    /** Whether there is something to do in the background. */
    boolean works() {
        return this != FORWARDING && this != COMPLETED;
    }
}
