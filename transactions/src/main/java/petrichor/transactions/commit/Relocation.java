package petrichor.transactions.commit;

import petrichor.kv.DurableStep;

/** Moves the commit point of a database to another store, between two steps. */
public interface Relocation {
    /**
     * Decides the move, as a step. Exceptions mean that nothing was written.
     *
     * @param previous version of the last step
     * @param version of this one
     */
    DurableStep.Outcome decide(long previous, long version);
}
