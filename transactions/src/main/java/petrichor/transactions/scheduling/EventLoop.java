package petrichor.transactions.scheduling;

/** Does the work of one database in turns, which never overlap. Safe for any thread. */
public interface EventLoop extends AutoCloseable {
    /** What a loop does. Called by one thread at a time; must not fail. */
    interface Work {
        /** Whether there is any. May be called by any thread. */
        boolean isWaiting();

        /** Does some of it. */
        void turn();
    }

    /** Work was added. */
    void wake();

    /**
     * Work was added, and the calling thread may take the next turn itself. To be called without
     * locks that the work needs.
     */
    void wakeOrTakeTurn();

    /** The loop ends once no work is waiting. */
    @Override
    void close();
}
