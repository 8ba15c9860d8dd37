package petrichor.transactions.scheduling;

/** Executes the work of one database in turns that never overlap. Thread-safe. */
public interface EventLoop extends AutoCloseable {
    /** The work of a loop. Called by one thread at a time; must not fail. */
    interface Work {
        /** Whether work is queued. May be called by any thread. */
        boolean isWaiting();

        /** Executes some of it. */
        void turn();
    }

    /** Signals that work was added. */
    void wake();

    /**
     * Signals that work was added; the calling thread may take the next turn itself. Call without
     * holding locks that the work needs.
     */
    void wakeOrTakeTurn();

    /** Ends the loop once no work is queued. */
    @Override
    void close();
}
