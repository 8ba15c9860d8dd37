package petrichor.testing.simulation;

/**
 * A part of a history that no strict serial execution explains. Cycles have the names of Adya's
 * thesis (1999), by the kinds of their dependencies.
 *
 * @param text the observation, with the ids of the attempts
 */
public record Anomaly(Kind kind, String text) {
    /** More basic kinds first. */
    public enum Kind {
        /** Read of an element that no transaction appended. */
        GARBAGE_READ,
        /** The same element occurs twice in a list. */
        DUPLICATE,
        /** Two reads of one key of which neither is a prefix of the other. */
        INCOMPATIBLE_ORDER,
        /** A transaction that saw two states of one key, or its own appends before its commit. */
        INTERNAL,
        /** Read of an aborted transaction's append. */
        G1A,
        /** Read of an intermediate append of a transaction, without its last one. */
        G1B,
        /** Two transactions read the same state of a key, and both appended to it. */
        LOST_UPDATE,
        /** A committed append is missing in a read after the commit, and no read ever showed it. */
        LOST_APPEND,
        /** A cycle of write dependencies. */
        G0,
        /** A cycle of write and read dependencies. */
        G1C,
        /**
         * A cycle with exactly one anti-dependency: a transaction overwrote what another had read.
         */
        G_SINGLE,
        /**
         * A cycle with several anti-dependencies, all on keys that were read individually: write
         * skew.
         */
        G2_ITEM,
        /** The same with a range read: a phantom. */
        G2,
        /** Serializable, but only in an order that contradicts real time, such as a stale read. */
        REAL_TIME
    }

    @Override
    public String toString() {
        return kind + ": " + text;
    }
}
