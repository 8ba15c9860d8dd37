package petrichor.transactions.ring;

/**
 * How far a move is. Stored about once a second, which is enough: what is copied twice is the same.
 *
 * @param move version of the step that began the move; the progress of another move is void
 * @param hour of the history that is next; {@link #ROWS} for the rows
 * @param next key in the table that is next
 * @param rows copied so far, and again if they were copied again
 */
record RingProgress(long move, Phase phase, int hour, byte[] next, long rows, long bytes) {
    /** Rows come before history. */
    static final int ROWS = -1;

    /** What is done with the rows of both stores. */
    enum Phase {
        COPY,
        VERIFY
    }

    static RingProgress first(long move) {
        return new RingProgress(move, Phase.COPY, ROWS, new byte[0], 0, 0);
    }

    RingProgress after(byte[] key, long moreRows, long moreBytes) {
        return new RingProgress(move, phase, hour, key, rows + moreRows, bytes + moreBytes);
    }

    RingProgress inHour(int now) {
        return new RingProgress(move, phase, now, new byte[0], rows, bytes);
    }

    RingProgress in(Phase now) {
        return new RingProgress(move, now, ROWS, new byte[0], rows, bytes);
    }
}
