package petrichor.testing.simulation;

/**
 * Something in a history that no strictly serial execution explains. The names of the cycles are
 * those of Adya's thesis (1999): which kinds of dependency close the circle.
 *
 * @param text what was seen, with the attempts' ids
 */
public record Anomaly(Kind kind, String text) {
    /** The more basic ones first. */
    public enum Kind {
        /** An element that no transaction ever appended. */
        GARBAGE_READ,
        /** The same element twice in a list. */
        DUPLICATE,
        /** Two reads of one key, neither of which is the beginning of the other. */
        INCOMPATIBLE_ORDER,
        /** A transaction that saw two states of one key, or its own appends before its commit. */
        INTERNAL,
        /** Read of an aborted transaction's append. */
        G1A,
        /** Read of the first of several appends of one transaction without the last. */
        G1B,
        /** Two transactions appended to the same state of a key that both had read. */
        LOST_UPDATE,
        /** A committed append that a read after the commit lacks, and no read ever showed. */
        LOST_APPEND,
        /** A circle of overwriting. */
        G0,
        /** A circle of overwriting and reading. */
        G1C,
        /** A circle with one transaction that overwrote what another had read. */
        G_SINGLE,
        /** A circle with several such, all on keys that were read singly: write skew. */
        G2_ITEM,
        /** The same where a range was read: a phantom. */
        G2,
        /** Serial, but only in an order that turns real time around: a stale read, mostly. */
        REAL_TIME
    }

    @Override
    public String toString() {
        return kind + ": " + text;
    }
}
