package petrichor.transactions.log;

import petrichor.kv.DurableStep;
import petrichor.kv.WriteBatch;
import petrichor.transactions.rows.RowSource;

/**
 * The commit point of one database in the form that its store has. Writing belongs to the holder of
 * the sequencer; anybody reads.
 */
public interface CommitPoint extends AutoCloseable {
    /** Where the database stood when we took it. */
    record Taken(long epoch, LastCommit last) {}

    /** The newest durable batch: who wrote it, and the version of its last commit. */
    record LastCommit(long epoch, long version) {
        static final LastCommit NONE = new LastCommit(0, 0);
    }

    /**
     * Shuts every former owner out, ourselves included, and says where it left off. After this
     * nothing that was on its way can arrive any more.
     */
    Taken take();

    /**
     * Back-pressure: waits while too many commits are not applied to the rows yet. UNAVAILABLE if
     * the store applies nothing for {@link TransactionLimits#applyWait}. Call it before planning.
     */
    void awaitRoom();

    /**
     * Whether these rows fill a batch, which takes no further commit: a batch is applied as a
     * whole, and a new owner may have to apply it again.
     */
    boolean fillsBatch(long rows, long bytes);

    /**
     * Makes the batch durable under the epoch last taken. When it is done, all sources show it.
     *
     * @param version higher than that of every batch before
     */
    DurableStep.Outcome commit(WriteBatch batch, long version);

    /** The commits so far. */
    RowSource live();

    /** What was committed until now, if the store can freeze it; else the same as live. */
    RowSource frozen();

    /**
     * Waits until all commits up to this version are in the store, for readers that read the store
     * directly; UNAVAILABLE if that takes too long.
     */
    void awaitApplied(long version);

    /** Finishes what it can; does not touch the store any more when it returns. */
    @Override
    void close();
}
